"""Reference pages from the comments of C headers and TypeScript declarations.

Both kinds of file have the same form: a first comment that introduces the file, comments `/* ---- Title ---- */` that
begin a section, and declarations that follow the comment which explains them. An identifier that one of the files
declares becomes a link wherever a comment names it."""

from __future__ import annotations

import dataclasses
import re

SECTION = re.compile(r"^/\* -{3,} (.+?) -{3,} \*/$")
_SKIPPED = re.compile(
    r"^#(ifndef SIXER_\w*H|define SIXER_(\w+_)?H$|include|ifdef __cplusplus|endif|else|if )|^extern \"C\"|^}$"
)
_NAMES = {
    "c": (
        re.compile(r"^SIXER_API [^;]*?\b(sixer_\w+)\(", re.M),
        re.compile(r"^typedef (?:struct|enum|union) \w+ (sixer_\w+);", re.M),
        re.compile(r"^} (sixer_\w+);", re.M),
        re.compile(r"^typedef [^;{]*?\(\*(sixer_\w+)\)\(", re.M),
        re.compile(r"^typedef [^;{(]*?\b(sixer_\w+)[;(]", re.M),
        re.compile(r"^typedef enum (sixer_\w+) {.*}", re.M),
        re.compile(r"^#define (SIXER_\w+)", re.M),
        re.compile(r"^enum {[^}]*?\b(SIXER_\w+)", re.M),
    ),
    "ts": (
        re.compile(
            r"^export (?:declare |default )?(?:abstract )?(?:class|interface|type|const|let|function|enum) (\w+)", re.M
        ),
    ),
}


@dataclasses.dataclass
class Item:
    """A declaration, or several that share a comment. Without code: a paragraph. With a title: a section."""

    comment: str = ""
    code: str = ""
    title: str = ""
    names: list[str] = dataclasses.field(default_factory=list)
    members: list[Item] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class File:
    name: str
    language: str
    intro: str
    items: list[Item]

    @property
    def first_sentence(self) -> str:
        return re.split(r"(?<=[.:])\s", self.intro.strip() + " ", maxsplit=1)[0].rstrip(":")


def _uncomment(lines: list[str]) -> str:
    """The text of a comment, without its frame."""
    body = re.sub(r"\s*\*/\s*$", "", "\n".join(lines))
    out = []
    for number, line in enumerate(body.split("\n")):
        line = re.sub(r"^\s*/\*\*? ?" if number == 0 else r"^\s*\* ?", "", line)
        out.append(line.rstrip())
    # `/** ... */` indents the lines after the first by one more column
    rest = [len(line) - len(line.lstrip()) for line in out[1:] if line.strip()]
    extra = min(rest, default=0)
    if extra == 1:
        out[1:] = [line[extra:] for line in out[1:]]
    return "\n".join(out).strip("\n")


def _comment_end(lines: list[str], start: int) -> int:
    """Of a comment that begins in this line: the line after its last."""
    end = start
    while "*/" not in lines[end]:
        end += 1
    return end + 1


def _names(code: str, language: str) -> list[str]:
    found = [(match.start(1), match.group(1)) for pattern in _NAMES[language] for match in pattern.finditer(code)]
    names: list[str] = []
    for _, name in sorted(found):
        if name not in names and name != "SIXER_API":
            names.append(name)
    return names


def _members(code: str) -> list[Item]:
    """The members of a TypeScript class: each with its comment."""
    lines = code.split("\n")[1:-1]
    items: list[Item] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        if not line.strip():
            number += 1
            continue
        item = Item()
        if line.strip().startswith("/*"):
            end = _comment_end(lines, number)
            item.comment = _uncomment(lines[number:end])
            number = end
        begin = number
        while number < len(lines) and lines[number].strip() and not lines[number].strip().startswith("/*"):
            number += 1
        item.code = "\n".join(line[2:] if line.startswith("  ") else line for line in lines[begin:number])
        for member in re.findall(r"(?m)^(?:static |readonly |get |set |async )*([A-Za-z_]\w*)\??\s*[(:<]", item.code):
            if member not in item.names:
                item.names.append(member)
        items.append(item)
    return items


def parse(name: str, text: str, language: str) -> File:
    lines = text.split("\n")
    intro_end = _comment_end(lines, 0)
    file = File(name, language, _uncomment(lines[:intro_end]), [])
    number = intro_end
    while number < len(lines):
        line = lines[number]
        section = SECTION.match(line)
        if section:
            file.items.append(Item(title=section.group(1)))
            number += 1
            continue
        if not line.strip() or _SKIPPED.match(line):
            # the definitions of SIXER_API per system
            if line.startswith("#if defined"):
                while not lines[number].startswith("#endif"):
                    number += 1
            number += 1
            continue
        item = Item()
        if line.startswith("/*"):
            end = _comment_end(lines, number)
            item.comment = _uncomment(lines[number:end])
            number = end
        begin, depth = number, 0
        while number < len(lines):
            line = lines[number]
            bare = re.sub(r"/\*.*?\*/|//.*", "", line)
            if depth == 0 and (not line.strip() or line.startswith("/*") or _SKIPPED.match(line)):
                break
            depth += bare.count("{") - bare.count("}")
            number += 1
        item.code = "\n".join(lines[begin:number])
        item.names = _names(item.code, language)
        if language == "ts" and re.match(r"export (declare )?(abstract )?class ", item.code):
            item.members = _members(item.code)
        file.items.append(item)
    return file


class Index:
    """Where every identifier is explained: the page and the anchor."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def add(self, page: str, file: File) -> None:
        for item in file.items:
            for name in item.names:
                self.places.setdefault(name, f"{page}#{name.lower()}")
            if item.names:  # the values of an enum are explained with it
                for name in re.findall(r"(?m)^  (SIXER_\w+)\b", item.code):
                    self.places.setdefault(name, f"{page}#{item.names[0].lower()}")

    def link(self, text: str) -> str:
        """Identifiers become code, and links if they are known; code that is more than an identifier stays."""
        name = r"(?:sixer_[a-z0-9_]+|SIXER_[A-Z0-9_]+)(?:\(\))?"

        def linked(shown: str) -> str:
            place = self.places.get(shown.removesuffix("()"))
            return f"[`{shown}`]({place})" if place else f"`{shown}`"

        parts = re.split(r"(`[^`]*`)", text)
        for number, part in enumerate(parts):
            if not part.startswith("`"):
                parts[number] = re.sub(rf"\b{name}(?<!_)", lambda match: linked(match.group(0)), part)
            elif re.fullmatch(f"`{name}`", part):
                parts[number] = linked(part.strip("`"))
        return "".join(parts)


def prose(text: str, language: str, index: Index) -> str:
    """The text of a comment as Markdown: indented lines are programs, the rest is text."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        if all(line.startswith("    ") for line in block.split("\n")):
            code = "\n".join(line[4:] for line in block.split("\n"))
            if out and out[-1].endswith("\n```"):
                out[-1] = out[-1][:-4] + "\n\n" + code + "\n```"
            else:
                out.append(f"```{language}\n{code}\n```")
            continue
        parts = re.split(r"(`[^`]*`)", block)
        parts = [part if part.startswith("`") else part.replace("<", "&lt;").replace("|", "\\|") for part in parts]
        block = "".join(parts)
        out.append(index.link(block) if language == "c" else block)
    return "\n\n".join(out)


def _shown(code: str) -> str:
    """A declaration as a reader wants it: without the mark of exported functions."""

    def bare(match: re.Match[str]) -> str:
        return match.group(1).replace("\n" + " " * 10, "\n")

    return re.sub(r"(?ms)^SIXER_API (.*?;)", bare, code)


def _heading(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return shown + (", …" if len(names) > 3 else "")


def page(file: File, index: Index) -> str:
    language = "c" if file.language == "c" else "ts"
    title = f"<{file.name}>" if file.language == "c" else file.name
    out = [f"# `{title}`", prose(file.intro, language, index)]
    for item in file.items:
        if item.title:
            out.append(f"## {item.title}")
            continue
        if not item.code:
            out.append(prose(item.comment, language, index))
            continue
        if item.names:
            out.append(f"### {_heading(item.names)} {{ #{item.names[0].lower()} }}")
            others = "".join(f'<a id="{name.lower()}"></a>' for name in item.names[1:])
            if others:
                out.append(f"<span>{others}</span>")
        if not item.members:
            out.append(f"```{language}\n{_shown(item.code)}\n```")
            if item.comment:
                out.append(prose(item.comment, language, index))
            continue
        out.append(f"```{language}\n{item.code.split(chr(10))[0].rstrip(' {')}\n```")
        if item.comment:
            out.append(prose(item.comment, language, index))
        for member in item.members:
            anchor = f"{item.names[0]}-{member.names[0]}".lower() if member.names else ""
            if anchor:
                out.append(f"#### {item.names[0]}: {_heading(member.names)} {{ #{anchor} }}")
            out.append(f"```{language}\n{member.code}\n```")
            if member.comment:
                out.append(prose(member.comment, language, index))
    return "\n\n".join(out) + "\n"
