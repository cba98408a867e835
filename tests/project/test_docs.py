#!/usr/bin/env python3
# label: long, 30 s
"""Every command in README and docs runs: lines of ```sh blocks and lines that begin with `$ sixer`, one after the
other, in one folder per page; and complete C programs. Commands in running text must exist with the options they show;
links must lead to existing files; docs/README.md lists every page."""

import hashlib
import os
import pathlib
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time
import fcntl

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import display  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")).resolve()
SIXER = str(BUILD / "sixer")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "roms").glob("*.md")),
]
failures, counts = [], {"commands": 0, "inline": 0, "links": 0, "programs": 0}


def wrong(page, line, what):
    failures.append(f"{page.relative_to(ROOT)}: {line}: {str(what).strip()[:400]}")


def in_terminal(command, cwd, environment):
    """Run a command that wants a terminal, and quit it after a while."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe("bash", ["bash", "-c", command], {**environment, "TERM": "xterm-256color"})
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    out, start, asked = b"", time.time(), False
    while time.time() - start < 120:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            out += data
        if not asked and b"score" in out and time.time() - start > 2:
            os.write(master, b"q")
            asked = True
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), out[-400:].decode(errors="replace")


def run(page, command, cwd, environment):
    counts["commands"] += 1
    words = shlex.split(command, comments=True)
    if words[0].startswith(("scripts/", "roms/")):  # they work on the source tree itself
        if not os.access(ROOT / words[0], os.X_OK):
            wrong(page, command, "no such script")
        return
    window = words[:2] in (["sixer", "play"], ["sixer", "watch"]) and "--agents" not in words
    if window and "--terminal" in words:
        status, text = in_terminal(command, cwd, environment)
    elif window:
        if not display.available():
            print(f"SKIPPED {command}: {display.MISSING}")
            return
        (cwd / "quit").write_text("0 clock 0.004\n30 quit\n")
        result = subprocess.run(
            words,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=300,
            env={
                **environment,
                **display.variables(),
                "SIXER_PLAY_SCRIPT": str(cwd / "quit"),
                "SDL_AUDIODRIVER": "dummy",
            },
        )
        status, text = result.returncode, result.stderr
    else:
        result = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
        )
        status, text = result.returncode, result.stderr
    if status != 0 and "built without SDL2" not in text:
        wrong(page, command, text)


def prepare(page, text, cwd):
    """What the examples of a page take for granted."""
    if page.name == "games.md" and page.parent.name == "docs":
        image = (ROOT / "tests" / "cartridges" / "players.bin").read_bytes()
        (cwd / "mygame.bin").write_bytes(image)
        games = cwd / ".local" / "share" / "sixer" / "games"
        games.mkdir(parents=True)
        definition = re.search(r"```\n(# My Game.*?)```", text, re.S).group(1)
        (games / "mygame.game").write_text(
            re.sub(r"(?m)^(md5\s+)\S+", r"\g<1>" + hashlib.md5(image).hexdigest(), definition)
        )
    # tutorials show the files that they use: a sentence that ends with "file `NAME`:", then the block
    if page.parent.name == "tutorials":
        for name, block in re.findall(r"(?ms)file `([\w.-]+)`:\n\n```\w+\n(.*?)^```", text):
            (cwd / name).write_text(block)
    # an agent as good as people are, on every game that has such a number
    table = [
        line.split(",") for line in (ROOT / "data" / "published" / "reference_scores.csv").read_text().splitlines()
    ]
    human = table[0].index("human_saber")
    rows = ["game,score"] + [f"{row[0]},{row[human] or 0}" for row in table[1:]]
    (cwd / "build").symlink_to(ROOT / "build")
    (cwd / "roms").symlink_to(ROOT / "roms")
    (cwd / "scores.csv").write_text("\n".join(rows) + "\n")


def commands_of(text):
    for language, block in re.findall(r"(?m)^```(\w*)\n(.*?)^```", text, re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                yield line[2:]
            elif language == "sh" and line.strip() and not line.startswith("#"):
                yield line


def check_inline(page, text, table):
    """`sixer play GAME --record FILE` in running text: the command and its options are there."""
    outside = re.sub(r"(?ms)^```.*?^```", "", text)
    for code in re.findall(r"`(sixer [a-z][^`]*)`", outside.replace("\n", " ")):
        words = code.split()
        counts["inline"] += 1
        if words[1] not in table and words[1] != "--version":
            if words[1].isupper():
                continue
            wrong(page, code, "no such command")
            continue
        for word in words[2:]:
            name = word[2:].split("=")[0]
            if word.startswith("--") and name not in table[words[1]] | {"help"}:
                wrong(page, code, f"no such option {word}")


def check_links(page, text):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"(?ms)^```.*?^```", "", text)):
        if "://" in target:
            continue
        counts["links"] += 1
        if not (page.parent / target).exists():
            wrong(page, target, "the link leads nowhere")


def check_list():
    """docs/README.md lists every page of the manual."""
    start = ROOT / "docs" / "README.md"
    targets = re.findall(r"\]\(([^)#\s]+)", start.read_text())
    listed = {(start.parent / target).resolve() for target in targets if "://" not in target}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if page != start and page not in listed:
            wrong(start, page.relative_to(ROOT), "the page is not listed")


def check_program(page, source, cwd, environment):
    counts["programs"] += 1
    flags = re.search(r"(?m)^SIXER_SANITIZE:STRING=(.+)$", (BUILD / "CMakeCache.txt").read_text())
    (cwd / "program.c").write_text(source)
    build = [
        "cc",
        "program.c",
        "-o",
        "program",
        "-Wall",
        "-Werror",
        f"-I{ROOT / 'include'}",
        str(BUILD / "libsixer.a"),
        "-lsqlite3",
        "-lz",
        "-lpng",
        "-lpthread",
        "-lm",
        *([f"-fsanitize={flags.group(1)}"] if flags else []),
    ]
    result = subprocess.run(build, cwd=cwd, capture_output=True, text=True)
    if result.returncode == 0:
        result = subprocess.run(["./program"], cwd=cwd, capture_output=True, text=True, timeout=300, env=environment)
    if result.returncode != 0:
        wrong(page, "program", result.stderr)


def main():
    table = {}
    for line in subprocess.run([SIXER, "help"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("  "):
            table[line.split()[0]] = set()
    for line in subprocess.run([SIXER, "help", "tsv"], capture_output=True, text=True).stdout.splitlines():
        command, option = line.split("\t")[:2]
        table.setdefault(command, set()).add(option)
    check_list()
    for page in PAGES:
        text = page.read_text()
        check_inline(page, text, table)
        check_links(page, text)
        with tempfile.TemporaryDirectory() as name:
            cwd = pathlib.Path(name)
            environment = {
                **os.environ,
                "PATH": f"{BUILD}:{os.environ['PATH']}",
                "HOME": name,
                "SIXER_ROMS": str(cwd / "images"),
                "LSAN_OPTIONS": "detect_leaks=0",
            }
            environment.pop("XDG_DATA_HOME", None)
            environment.pop("SIXER_GAMES", None)
            found = list(commands_of(text))
            if found:
                prepare(page, text, cwd)
            for command in found:
                run(page, command, cwd, environment)
            for source in re.findall(r"(?m)^```c\n(.*?)^```", text, re.S):
                if "int main(" in source:
                    check_program(page, source, cwd, environment)
    for line in failures:
        print("WRONG", line)
    print(
        f"{len(PAGES)} pages, " + ", ".join(f"{n} {what}" for what, n in counts.items()) + f", {len(failures)} problems"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
