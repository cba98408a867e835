"""Check a site that was made: every link and every anchor leads somewhere, nothing is loaded from another host, and the
search knows every page.

    python docs/site/check.py [FOLDER]

Prints what is wrong and exits with 1, or prints how much was checked."""

from __future__ import annotations

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

# attributes that name what a browser loads by itself; the rest are links that a reader follows
LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("source", "srcset"),
    ("source", "src"),
    ("iframe", "src"),
    ("link", "href"),
}
LINKS = LOADED | {("a", "href"), ("area", "href")}


class Page(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, bool]] = []  # target, whether it is loaded
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        for name in ("id", "name"):
            if values.get(name) and (name == "id" or tag == "a"):
                self.ids.add(str(values[name]))
        # a link without an effect on what is loaded
        if tag == "link" and values.get("rel") in ("canonical", "prev", "next"):
            return
        for name, value in attrs:
            if (tag, name) in LINKS and value:
                target = value.split()[0] if name == "srcset" else value
                self.links.append((target, (tag, name) in LOADED))


def check(site: pathlib.Path) -> tuple[list[str], str]:
    problems: list[str] = []
    paths = sorted(site.rglob("*.html"))
    pages = {path.resolve(): Page(path.read_text()) for path in paths}
    links = anchors = 0
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        if name.parts[0] == "play" or name.name == "404.html":  # a program, not a page; the server's page of errors
            continue
        for target, loaded in page.links:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                if loaded:
                    problems.append(f"{name}: loads {target} from another host")
                elif parts.scheme not in ("http", "https"):
                    problems.append(f"{name}: the link {target} is of no known kind")
                continue
            links += 1
            to = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if to.is_dir():
                to = to / "index.html"
            if not to.is_file():
                problems.append(f"{name}: the link {target} leads nowhere")
                continue
            fragment = urllib.parse.unquote(parts.fragment)
            if fragment and to in pages and "play" not in to.relative_to(site.resolve()).parts[:1]:
                anchors += 1
                if fragment not in pages[to].ids and not fragment.startswith("__"):
                    problems.append(f"{name}: the link {target} names no section of that page")
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        if path.relative_to(site).parts[0] == "play":
            continue
        for target in re.findall(r"url\(\s*['\"]?(https?:[^)'\"]+)|@import\s+['\"](https?:[^'\"]+)", path.read_text()):
            problems.append(f"{path.relative_to(site)}: loads {''.join(target)} from another host")

    index = json.loads((site / "search" / "search_index.json").read_text())
    known = {entry["location"].split("#")[0] or "index.html" for entry in index["docs"]}
    # the same index as a script, for pages that are opened from disk
    script = (site / "search" / "search_index.js").read_text()
    if json.loads(script.removeprefix("var __index = ")) != index:
        problems.append("search/search_index.js: differs from search_index.json")
    listed = [path for path in paths if path.relative_to(site).parts[0] not in ("source", "play", "404.html")]
    for path in listed:
        location = path.relative_to(site).as_posix()
        # a report that a page links to (docs/results/lab) is a file of its own, which the generator has not made
        made = '<meta name="generator" content="mkdocs' in path.read_text()
        if made and location not in known:
            problems.append(f"{location}: the search does not know this page")
    return problems, f"{len(paths)} pages, {links} links, {anchors} anchors, {len(known)} pages in the search"


def main() -> int:
    site = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "site")
    if not (site / "index.html").is_file():
        print(f"check: there is no site in {site} (scripts/site makes one)", file=sys.stderr)
        return 2
    problems, summary = check(site)
    for problem in problems:
        print(f"check: {problem}", file=sys.stderr)
    print(f"{summary}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
