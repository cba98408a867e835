"""The pages of docs/ are written in CommonMark, as code hosts show it. Python-Markdown, which MkDocs uses, is stricter:
a list or a table needs a blank line before it, and what belongs to a list item is indented by four columns per level.
`for_python_markdown` moves lines accordingly; the text stays the same. `difference` compares both readings of a
page."""

from __future__ import annotations

import collections
import html
import re

import markdown
from markdown_it import MarkdownIt

_COUNTED = re.compile(r"<(li|ul|ol|pre|table|tr|td|th|h[1-6]|img|blockquote|hr)\b")


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def outline(page: str) -> dict[str, int]:
    """How many lists, items, tables, headings, ... a page has."""
    return dict(collections.Counter(_COUNTED.findall(page)))


def for_python_markdown(text: str) -> str:
    lines = text.split("\n")
    tokens = _parser().parse(text)
    blank_before: set[int] = set()
    items: list[tuple[int, int]] = []  # lines of each list item, the outer ones first
    rows: set[int] = set()  # lines of tables
    before = None
    for token in tokens:
        if token.map is None:
            continue
        first, end = token.map
        if token.type in ("bullet_list_open", "ordered_list_open", "table_open", "fence"):
            # a list that begins on the line of its parent's marker needs none
            if first > 0 and lines[first - 1].strip() and not any(i[0] == first for i in items):
                blank_before.add(first)
        if token.type == "table_open":
            rows.update(range(first, end))
        if token.type == "list_item_open":
            # an item after one of several paragraphs
            if items and any(last == first and "" in map(str.strip, lines[begin:last]) for begin, last in items):
                blank_before.add(first)
            items.append((first, end))
        if token.type == "heading_open" and first > 0 and lines[first - 1].strip():
            blank_before.add(first)
        # a paragraph that continues a list item after an inner list
        if token.type == "paragraph_open" and before in ("bullet_list_close", "ordered_list_close"):
            blank_before.add(first)
        before = token.type
    out: list[str] = []
    for number, line in enumerate(lines):
        around = [i for i in items if i[0] <= number < i[1]]
        if number in blank_before and out and out[-1].strip():
            out.append("")
        if number in rows:  # a bar in code needs no backslash here
            line = re.sub(r"`[^`]+`", lambda code: code.group(0).replace("\\|", "|"), line)
        if around and line.strip():
            line = _indented(line, number, around, lines)
        out.append(line)
    return "\n".join(out)


def _width(line: str, already: int) -> int:
    """Columns of a list item's marker, with the blanks before and after it."""
    match = re.match(r"\s*([-*+]|\d+[.)])(\s+|$)", line[already:])
    return len(match.group(0)) if match else 0


def _indented(line: str, number: int, around: list[tuple[int, int]], lines: list[str]) -> str:
    old = 0
    depth = 0
    for first, _ in around:
        if first == number:
            break
        old += _width(lines[first], old)
        depth += 1
    indent = len(line) - len(line.lstrip())
    return " " * (4 * depth) + line[min(old, indent) :] if depth or old else line.lstrip()


def _words(page: str) -> str:
    """What a page says, without blanks."""
    return re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]+>|<!--.*?-->", "", page, flags=re.S)))


def difference(text: str) -> str:
    """How CommonMark and Python-Markdown read a page differently, after `for_python_markdown`; empty if they agree."""
    extensions = ["tables", "pymdownx.superfences", "pymdownx.betterem", "sane_lists"]
    ours, theirs = _parser().render(text), markdown.markdown(for_python_markdown(text), extensions=extensions)
    counts, others = outline(ours), outline(theirs)
    for name in sorted(counts.keys() | others.keys()):
        if counts.get(name, 0) != others.get(name, 0):
            return f"{counts.get(name, 0)} times <{name}>, not {others.get(name, 0)}"
    said, read = _words(ours), _words(theirs)
    for place, (one, other) in enumerate(zip(said, read)):
        if one != other:
            return f"'{said[max(0, place - 20) : place + 20]}', not '{read[max(0, place - 20) : place + 20]}'"
    return "" if len(said) == len(read) else "one of them ends earlier"
