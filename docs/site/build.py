"""Make the site: pages of docs/, references of C, Python, JavaScript and the command line, games, results.

    scripts/site            is how this is called

Nothing is written twice: the pages are those of docs/, the references come from headers, docstrings, declarations and
--help, the leaderboards from kept result files. They are put together in build/site, and MkDocs makes site/ of them
(mkdocs.yml). Every warning is an error."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import commands
import headers
import home
import leaderboards
import yaml
from pages import Problem, Stage, by_section

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent

# where the pages of a folder of docs/ go; the others go by the sections of docs/README.md
TABS = {"tutorials": "Tutorials", "agents": "Agents", "games": "Games", "results": "Results", "benchmarks": "Results"}
SECTIONS = {"Using sixer": "Guides", "Agents and scores": "Agents", "Inside": "Inside"}
TAB_OF_PAGE = {"roms.md": "Games", "published.md": "Results", "games.md": "Games"}
TAB_OF_PAGE |= dict.fromkeys(("lab.md", "store.md", "evaluation.md", "report.md", "zoo.md"), "Guides")


def c_reference(stage: Stage) -> list[Any]:
    index = headers.Index()
    files = []
    order = ["sixer", "vec", "players", "agents", "train"]
    paths = sorted((ROOT / "include" / "sixer").glob("*.h"), key=lambda p: ((order + [p.stem]).index(p.stem), p.stem))
    for path in paths:
        file = headers.parse(f"sixer/{path.name}", path.read_text(), "c")
        index.add(f"{path.stem}.md", file)
        files.append((path, file))
    overview = [
        "# C",
        "The headers of `include/sixer/` are the manual of the library; these pages are made of their comments. "
        "[The guide](../../c.md) shows how to build a program with it.",
        "| header | what it has |\n|---|---|",
    ]
    nav: list[Any] = [{"C": "reference/c/index.md"}]
    rows = []
    for path, file in files:
        place = f"reference/c/{path.stem}.md"
        stage.write(place, stage.named_pages(headers.page(file, index), place))
        rows.append(f"| [`<{file.name}>`]({path.stem}.md) | {headers.prose(file.first_sentence, 'c', index)} |")
        nav.append({path.name: place})
    functions = sorted(name for name in index.places if name.startswith("sixer_"))
    overview[-1] += "\n" + "\n".join(rows)
    overview.append("## All names")
    names = "\n".join(f"- [`{name}`]({index.places[name]})" for name in functions)
    overview.append(f'<div class="names" markdown>\n\n{names}\n\n</div>')
    stage.write("reference/c/index.md", "\n\n".join(overview) + "\n")
    return nav


def javascript_reference(stage: Stage) -> list[Any]:
    path = ROOT / "web" / "package" / "sixer.d.ts"
    if not path.is_file():
        return []
    place = "reference/javascript.md"
    file = headers.parse("JavaScript", path.read_text(), "ts")
    text = headers.page(file, headers.Index()).replace("# `JavaScript`", "# JavaScript", 1)
    stage.write(place, stage.named_pages(text, place))
    return [{"JavaScript": place}]


def python_reference(stage: Stage) -> list[Any]:
    """A page for each module; griffe reads the docstrings when MkDocs runs."""
    package = ROOT / "python" / "sixer"
    modules = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        # what begins with _ is internal, and an environment of the zoo is told apart by its name only
        if any(part.startswith("_") for part in parts) or (parts[:2] == ("sixer", "zoo") and "_v" in parts[-1]):
            continue
        modules.append(".".join(parts))
    rows, nav = [], [{"Python": "reference/python/index.md"}]
    for module in modules:
        place = f"reference/python/{module}.md"
        path = package.parent / pathlib.Path(*module.split("."))
        source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        first = source.split('"""')[1].strip().split("\n\n")[0].replace("\n", " ") if '"""' in source[:5] else ""
        rows.append(f"| [`{module}`]({module}.md) | {first} |")
        # a package shows its modules on pages of their own, and itself what it has beside them
        inherited = "" if not path.is_dir() else "    options:\n      members: false\n"
        if module == "sixer":
            inherited = "    options:\n      members: [games]\n"
        stage.write(place, f"---\ntitle: {module}\n---\n\n::: {module}\n{inherited}")
        stage.titles[place] = module
        nav.append({module: place})
    text = [
        "# Python",
        "The docstrings of the package. [The guide](../../python.md) shows how they are used together; a program for "
        "`ale_py` only changes an import.",
        "| module | what it has |\n|---|---|\n" + "\n".join(rows),
    ]
    stage.write("reference/python/index.md", "\n\n".join(text) + "\n")
    return nav


def command_reference(stage: Stage, program: str) -> list[Any]:
    nav: list[Any] = [{"Command line": "reference/commands/index.md"}]
    stage.write("reference/commands/index.md", commands.overview(program))
    for name, summary in commands.listed(program).items():
        if name == "help":
            continue
        place = f"reference/commands/{name}.md"
        stage.write(place, commands.page(program, name, summary))
        nav.append({f"sixer {name}": place})
    return nav


def definitions(stage: Stage, program: str) -> str:
    """All known games, each with its definition as a listing."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "HOME": empty, "XDG_DATA_HOME": empty, "SIXER_GAMES": empty}
        out = subprocess.run([program, "games", "--json"], check=True, capture_output=True, text=True, env=environment)
    games = json.loads(out.stdout)
    place = "games/definitions.md"
    rows = []
    for game in games:
        folder = "roms" if game["inside"] else "games"
        listing = os.path.relpath(stage.target(place, f"{folder}/{game['id']}.game"), "games")
        cells = [
            f"[{game['id']}]({listing})",
            game["title"],
            len(game["modes"]),
            len(game["difficulties"]),
            game["levels"],
            len(game["minimal_actions"]),
            ", ".join(["1"] + [str(n) for n in (2, 3, 4) if game[f"modes_{n}_players"]]),
            "paddle" if game["paddles"] else "joystick",
            "yes" if game["corrections"] else "",
        ]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    inside = sum(game["inside"] for game in games)
    text = (
        f"# All games\n\n{len(games)} games are known, {inside} of them our own, whose images are in the library. "
        "A definition is a text file; [its language](../games.md) is in the guide. This is what `sixer games` "
        "prints. *Corrections* are those of the scoring `fixed`.\n\n"
        "| definition | title | modes | difficulties | levels | actions | players | control | corrections |\n"
        "|---|---|---|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )
    stage.write(place, text)
    return place


def navigation(stage: Stage, reference: list[Any], play: bool) -> list[Any]:
    """Tabs in reading order: pages of a folder by its tab, the others as docs/README.md lists them."""
    tabs: dict[str, list[Any]] = {
        tab: [] for tab in ("Start", "Tutorials", "Guides", "Agents", "Games", "Results", "Reference", "Inside")
    }
    listed = by_section((ROOT / "docs" / "README.md").read_text())
    seen: set[str] = set()

    def add(tab: str, place: str) -> None:
        if place not in seen and place in stage.titles:
            seen.add(place)
            tabs[tab].append({stage.titles[place]: place})

    add("Start", "start.md")
    for section, targets in listed.items():
        for target in targets:
            name = os.path.normpath(os.path.join("docs", target))
            place = stage.places.get(name)
            if place is None:
                continue
            tab = TAB_OF_PAGE.get(place) or (TABS.get(place.split("/")[0]) if "/" in place else None)
            add(tab or SECTIONS.get(section, "Start"), place)
    for place, tab in (("roms.md", "Games"), ("games/definitions.md", "Games"), ("published.md", "Results")):
        add(tab, place)
    for place in ("tests.md", "contributing.md", "changes.md", "security.md"):
        add("Inside", place)
    tabs["Results"].insert(0, {"Leaderboards": "results/leaderboards.md"})
    seen.add("results/leaderboards.md")
    for name in stage.pages():
        if stage.places[name] != "index.md":
            add("Guides", stage.places[name])
    # the page of a folder comes first
    for tab, index in (("Games", "games/index.md"), ("Tutorials", "tutorials/index.md")):
        tabs[tab].sort(key=lambda entry: index not in entry.values())
    tabs["Reference"] = reference
    nav: list[Any] = [{"Home": "index.md"}]
    nav += [{tab: entries} for tab, entries in tabs.items() if entries and tab != "Start"]
    nav[1:1] = tabs["Start"]
    if play:
        nav.insert(1, {"Play": "play/sixer.html"})  # the single file works from the disk, too
    return nav


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "sixer"))
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "site")
    parser.add_argument("--no-films", action="store_true", help="pictures in the place of films")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "site", help="what is put together")
    arguments = parser.parse_args()

    work = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    stage = Stage(ROOT, work / "pages")
    stage.find()
    stage.stage_pages()
    reference = [{"C": c_reference(stage)}, {"Python": python_reference(stage)}]
    reference += [*javascript_reference(stage), {"Command line": command_reference(stage, arguments.program)}]
    definitions(stage, arguments.program)
    leaderboards.write(stage, arguments.program)
    web = ROOT / "build" / "web" / "page"  # by scripts/web
    play = (web / "index.html").is_file()
    if play:
        shutil.copytree(web, stage.folder / "play")
        stage.places["play/sixer.html"] = "play/sixer.html"
    home.write(stage, arguments.program, play, not arguments.no_films)
    stage.stage_listings()
    for path in sorted((HERE / "assets").iterdir()):
        stage.write(f"assets/{path.name}", path.read_bytes())
    if stage.problems:
        raise Problem("\n".join(stage.problems))

    config = yaml.safe_load((HERE / "mkdocs.yml").read_text())
    config["docs_dir"] = str(stage.folder)
    config["site_dir"] = str(arguments.output.resolve())
    config["theme"]["custom_dir"] = str(HERE / "theme")
    for plugin in config["plugins"]:
        if isinstance(plugin, dict) and "mkdocstrings" in plugin:
            plugin["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT / "python")]
    config["nav"] = navigation(stage, reference, play)
    (work / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(work / "mkdocs.yml")]
    # the theme prints an announcement of its authors unless it is told not to
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"site: {problem}", file=sys.stderr)
        sys.exit(1)
