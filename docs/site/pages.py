"""The pages of the repository on the site: where each one goes, and how its links are rewritten.

A link to another page leads to that page; one to a header of the library to its reference; one to any other file of the
repository to a listing of that file, which is made because it is linked. Files inside docs/ that are no pages
(pictures, tables) are copied as they are."""

from __future__ import annotations

import collections
import os
import pathlib
import re

import commonmark

# pages that have another place on the site than in the repository
PLACES = {
    "README.md": "index.md",
    "docs/README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGES.md": "changes.md",
    "SECURITY.md": "security.md",
    "tests/README.md": "tests.md",
    "roms/README.md": "roms.md",
    "data/published/README.md": "published.md",
    "web/README.md": "web.md",
    "web/package/README.md": "javascript.md",
}
# how the source of a file is colored, by the end of its name; those of no such kind are plain text
LANGUAGES = {
    ".c": "c", ".h": "c", ".py": "python", ".toml": "toml", ".sh": "sh", ".asm": "nasm", ".json": "json",
    ".js": "js", ".ts": "ts", ".cmake": "cmake", ".yml": "yaml", ".html": "html",
}  # fmt: skip
LISTING_MAX = 300_000  # bytes of a file that is shown as a page; larger ones are offered as they are

_FENCE = re.compile(r"(?ms)^( *)(```+|~~~+).*?^\1\2 *$|`[^`\n]+`")
_LINK = re.compile(r"(?:(?<!!)\[([\w./-]+))?(\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
_DOCS_IN_TEXT = re.compile(r"(?<![\w/(\[`])docs/[\w/-]+\.md\b")


class Problem(Exception):
    """Something in the repository that the site cannot show: the message says where."""


class Stage:
    """The folder from which MkDocs makes the site."""

    def __init__(self, root: pathlib.Path, folder: pathlib.Path) -> None:
        self.root = root
        self.folder = folder
        self.places: dict[str, str] = {}  # path in the repository -> page or file on the site
        self.titles: dict[str, str] = {}  # page of the site -> its title
        self.listed: list[str] = []  # files to list, because a page links to them
        self.problems: list[str] = []

    def write(self, place: str, text: str | bytes) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
            return
        path.write_text(text)
        if place.endswith(".md"):
            self._note_title(place, text)

    def _note_title(self, place: str, text: str) -> None:
        title = re.search(r"(?m)^# (.+?)(?: \{.*\})?$", text)
        if title:
            self.titles[place] = title.group(1).replace("`", "")

    # ---- which pages there are ----------------------------------------------------------------------------------

    def find(self) -> None:
        """Give every page and file of docs/, and the other pages of the repository, a place on the site."""
        for path in sorted((self.root / "docs").rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if not path.is_file() or name.startswith("docs/site/") or "__pycache__" in name:
                continue
            if path.suffix in ("", ".py"):  # programs: shown as listings
                continue
            place = name.removeprefix("docs/")
            if path.name == "README.md":
                place = place.removesuffix("README.md") + "index.md"
            self.places[name] = place
        for name, place in PLACES.items():
            if (self.root / name).is_file():
                self.places[name] = place

        for path in sorted((self.root / "include" / "sixer").glob("*.h")):
            self.places[f"include/sixer/{path.name}"] = f"reference/c/{path.stem}.md"
        if (self.root / "web" / "package" / "sixer.d.ts").is_file():
            self.places["web/package/sixer.d.ts"] = "reference/javascript.md"
        for name, place in self.places.items():
            if name.endswith(".md"):
                self._note_title(place, (self.root / name).read_text())

    def pages(self) -> list[str]:
        return [name for name in self.places if name.endswith(".md")]

    # ---- links --------------------------------------------------------------------------------------------------

    def target(self, page: str, target: str) -> str:
        """Where a path of the repository is on the site; it is listed there if nothing else shows it."""
        if target in self.places:
            return self.places[target]
        path = self.root / target
        if path.is_dir():
            for name in ("README.md", "index.md"):
                if f"{target}/{name}" in self.places:
                    return self.places[f"{target}/{name}"]
            place = f"source/{target}/index.md" if target else "source/index.md"
        elif path.is_file():
            if path.suffix == ".md":
                place = f"source/{target}"
            elif self._is_text(path):
                place = f"source/{target}.md"
            else:
                place = f"source/{target}"
        else:
            self.problems.append(f"{page}: the link to {target} leads nowhere")
            return target
        self.places[target] = place
        self.listed.append(target)
        return place

    @staticmethod
    def _is_text(path: pathlib.Path) -> bool:
        data = path.read_bytes()
        if len(data) > LISTING_MAX or b"\0" in data:
            return False
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        return True

    def rewrite(self, name: str, text: str, place: str | None = None) -> str:
        """The text of a page with its links as the site has them."""
        place = place or self.places[name]
        base = pathlib.PurePosixPath(name).parent

        def link(match: re.Match[str]) -> str:
            text, opening, whole, closing = match.groups()
            target, _, anchor = whole.partition("#")
            if re.match(r"[a-z]+:", target) or target.startswith("/") or not target:
                return match.group(0)
            path = os.path.normpath(base / target)
            if path.startswith(".."):
                self.problems.append(f"{name}: the link to {target} leaves the repository")
                return match.group(0)
            on_site = self.target(name, "" if path == "." else path)
            relative = os.path.relpath(on_site, pathlib.PurePosixPath(place).parent)
            before = ""
            if text is not None:  # a page that is named by its file is called by its title here
                named = text.endswith(".md") or text.strip("/") in (path, os.path.dirname(path))
                if named and on_site in self.titles and not target.endswith(".h"):
                    text = self.titles[on_site]
                before = "[" + text
            return f"{before}{opening}{relative}{'#' + anchor if anchor else ''}{closing}"

        # code is left as it is
        out, end = [], 0
        for code in _FENCE.finditer(text):
            out.append(_LINK.sub(link, text[end : code.start()]))
            out.append(code.group(0))
            end = code.end()
        out.append(_LINK.sub(link, text[end:]))
        # a link whose text is code was cut into pieces: `](target)` is then at the beginning of a piece
        return "".join(out)

    def named_pages(self, text: str, place: str) -> str:
        """`docs/serve.md` in a comment becomes a link to that page."""

        def link(match: re.Match[str]) -> str:
            on_site = self.places.get(match.group(0))
            if on_site is None:
                return match.group(0)
            return f"[{match.group(0)}]({os.path.relpath(on_site, pathlib.PurePosixPath(place).parent)})"

        return _DOCS_IN_TEXT.sub(link, text)

    # ---- writing ------------------------------------------------------------------------------------------------

    def stage_pages(self) -> None:
        for name, place in list(self.places.items()):
            path = self.root / name
            if place == "index.md" or (not name.startswith("docs/") and not name.endswith(".md")):
                continue
            if name.endswith(".md"):
                self.stage_page(name)
            elif name.startswith("docs/"):
                self.write(place, path.read_bytes())

    def stage_page(self, name: str, meta: str = "") -> None:
        text = (self.root / name).read_text()
        self.write(self.places[name], meta + commonmark.for_python_markdown(self.rewrite(name, text)))

    def stage_listings(self) -> None:
        """The files and folders that pages link to. A folder's listing may add more."""
        hidden = "---\nsearch:\n  exclude: true\n---\n"
        while self.listed:
            name = self.listed.pop()
            path, place = self.root / name, self.places[name]
            if path.is_dir():
                self.write(place, hidden + self._folder(name))
            elif path.suffix == ".md":
                self.stage_page(name, hidden)
            elif place.endswith(".md"):
                text = path.read_text()
                interpreter = re.match(r"#!.*\b(python|sh|bash)", text)
                language = LANGUAGES.get(path.suffix) or (interpreter.group(1) if interpreter else "text")
                fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
                body = f"# {name}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
                self.write(place, hidden + body)
            else:
                self.write(place, path.read_bytes())

    def _folder(self, name: str) -> str:
        rows = [f"# {name}/", "| file | bytes |", "|---|---|"]
        for path in sorted((self.root / name).iterdir()):
            if path.name.startswith(".") or path.name == "__pycache__":
                continue
            inner = f"{name}/{path.name}"
            relative = os.path.relpath(self.target(name, inner), pathlib.PurePosixPath(self.places[name]).parent)
            size = f"{path.stat().st_size:,}" if path.is_file() else ""
            rows.append(f"| [{path.name}{'' if path.is_file() else '/'}]({relative}) | {size} |")
        return rows[0] + "\n\n" + "\n".join(rows[1:]) + "\n"


def section(text: str, title: str) -> str:
    """The section of a page with this title, without the title."""
    match = re.search(rf"(?ms)^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text)
    if not match:
        raise Problem(f"there is no section '{title}'")
    return match.group(1).strip()


def by_section(text: str) -> dict[str, list[str]]:
    """The links of a page, in the sections of that page."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for part in re.split(r"(?m)^## ", text):
        title, _, rest = part.partition("\n")
        found[title] += [target for target in re.findall(r"\]\(([^)#\s]+)", rest) if target.endswith(".md")]
    return found
