"""Reference pages of the command line, from `sixer COMMAND --help` and `sixer help tsv`."""

from __future__ import annotations

import re
import subprocess
import textwrap


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def listed(program: str) -> dict[str, str]:
    """The commands and what they do, in the order of `sixer help`."""
    return dict(re.findall(r"(?m)^  (\w+) +(\S.*)$", _output(program, "help")))


def _escaped(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"[*_|]", r"\\\g<0>", part.replace("<", "&lt;")) for part in parts
    )


def _explanation(text: str) -> str:
    """Lines at the margin are text, indented ones are shown as they are."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        margin = [line for line in lines if not line.startswith(" ")]
        if len(margin) == len(lines):
            out.append(_escaped(" ".join(lines)))
        elif len(margin) == 1 and lines[0] == margin[0]:  # a title, and what it is the title of
            out.append(_escaped(lines[0]))
            out.append("```text\n" + textwrap.dedent("\n".join(lines[1:])) + "\n```")
        else:
            out.append("```text\n" + textwrap.dedent(block) + "\n```")
    return "\n\n".join(out)


def page(program: str, command: str, summary: str) -> str:
    text = _output(program, command, "--help")
    usage, _, rest = text.partition("\n\n")
    explanation, found, options = rest.partition("\noptions:\n")
    out = [f"# sixer {command}", f"*{_escaped(summary[0].upper() + summary[1:])}.*"]
    usage = re.sub(r"(?m)^(usage: |       )", "", usage)
    out.append(f"```text\n{usage}\n```")
    if explanation.strip():
        out.append(_explanation(explanation))
    if found:
        out.append("## Options")
        out.append(_options(options))
    return "\n\n".join(out) + "\n"


def _options(text: str) -> str:
    """The list of options as a table: an option begins in column 2, what it does further right."""
    rows: list[tuple[str, str]] = []
    for line in text.split("\n"):
        option = re.match(r"  (-\S.*?)(?:  +(\S.*))?$", line)
        if option:
            rows.append((option.group(1), option.group(2) or ""))
        elif line.strip():
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}".strip())
    out = ["| option | what it does |", "|---|---|"]
    for name, what in rows:
        out.append(f"| `{name}` | {_escaped(what)} |")
    return "\n".join(out)


def overview(program: str) -> str:
    out = [
        "# The command line",
        "These pages are what `sixer COMMAND --help` prints. Every command exits with 0 for success, 1 if it failed, "
        "2 for bad usage; errors go to stderr and say what to try.",
        "| command | what it does |",
    ]
    names = {name: text for name, text in listed(program).items() if name != "help"}
    rows = [f"| [`sixer {name}`]({name}.md) | {_escaped(text)} |" for name, text in names.items()]
    return "\n\n".join(out) + "\n|---|---|\n" + "\n".join(rows) + "\n"
