#!/usr/bin/env python3
"""The program's answers to bad input: an exit status, one message on stderr that names what was found, and no file that
is half written."""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
ROM = str(ROOT / "tests" / "cartridges" / "players.bin")
failures = []


def run(*arguments, **environment):
    return subprocess.run(
        [SIXER, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def expect(what, result, status, *words, nothing_out=True):
    problems = []
    if result.returncode != status:
        problems.append(f"exit status {result.returncode}, not {status}")
    text = result.stderr if status else result.stdout
    problems += [f"no '{word}' in: {text.strip()[:200]}" for word in words if word not in text]
    if status and nothing_out and result.stdout:
        problems.append(f"output in spite of the error: {result.stdout[:100]}")
    if "Sanitizer" in result.stderr:
        problems.append(result.stderr[:2000])
    failures.extend(f"{what}: {p}" for p in problems)


def main():
    expect("no command", run(), 2, "usage")
    expect("unknown command", run("frobnicate"), 2, "frobnicate")
    expect("help", run("--help"), 0, "trace", "info")
    expect("version", run("--version"), 0, "sixer")
    for command in ("trace", "info"):
        expect(f"{command} help", run(command, "--help"), 0, "usage")
        expect(f"{command} without ROM", run(command), 2)
        expect(f"{command} unknown option", run(command, ROM, "--frobnicate"), 2, "frobnicate")
        expect(f"{command} missing file", run(command, "/no/such/file.bin"), 1, "/no/such/file.bin")
        expect(f"{command} unknown game", run(command, "no_such_game"), 1, "no_such_game")
        expect(f"{command} folder", run(command, str(ROOT / "tests")), 1, "tests")
        expect(f"{command} unknown rules", run(command, ROM, "--game", "no_such_game"), 1, "no_such_game")
    with tempfile.TemporaryDirectory() as folder:

        def file(name, data):
            path = pathlib.Path(folder) / name
            path.write_bytes(data)
            return str(path)

        image = pathlib.Path(ROM).read_bytes()
        for name, data in (
            ("empty.bin", b""),
            ("one.bin", b"x"),
            ("odd.bin", bytes(5000)),
            ("large.bin", bytes(600000)),
            ("text.bin", b"hello\n" * 100),
            ("broken.gz", gzip.compress(image)[:-900]),
        ):
            path = file(name, data)
            for command in ("trace", "info"):
                expect(f"{command} {name}", run(command, path), 1, name)
        packed = file("players.bin.gz", gzip.compress(image))
        expect("gzip", run("info", packed), 0, "4K")
        a, b = run("trace", packed, "--steps", "3"), run("trace", ROM, "--steps", "3")
        if a.stdout != b.stdout or a.returncode:
            failures.append("a packed image gives another trace")
        if os.geteuid():
            hidden = file("hidden.bin", image)
            os.chmod(hidden, 0)
            expect("unreadable", run("info", hidden), 1, "hidden.bin")
    trace = ("trace", ROM, "--game", "tetris", "--steps", "1")
    for name, value in (("--mode", "77"), ("--difficulty", "9")):
        expect(f"trace {name} {value}", run(*trace, name, value), 1, value)
    for name, value in (
        ("--steps", "-1"),
        ("--steps", "x"),
        ("--hold", "0"),
        ("--every", "0"),
        ("--frame-skip", "0"),
        ("--actions", "some"),
        ("--core", "warp"),
        ("--columns", "rgb,smell"),
        ("--sticky", "x"),
        ("--max-frames", "-3"),
        ("--poke", "-1"),
    ):
        expect(f"trace {name} {value}", run(*trace, name, value), 2, name.lstrip("-"))
    plain, named = (run("trace", ROM, "--steps", "3", "--columns", "rgb,sound", *more) for more in ((), ("--names",)))
    expect("trace --names", named, 0, "step\taction\treward\t", "\tscreen\trgb\tsound\n1\t")
    rows = [line for line in named.stdout.splitlines() if not line.startswith("#")]
    if len({row.count("\t") for row in rows}) != 1 or len(rows) != 4:
        failures.append(f"trace --names: rows of different width: {rows}")
    if [line for line in named.stdout.splitlines() if not line.startswith("step\t")] != plain.stdout.splitlines():
        failures.append("trace --names: changes more than the names")
    expect("trace --steps without value", run("trace", ROM, "--steps"), 2, "steps")
    expect("unknown core in the environment", run(*trace, SIXER_CORE="warp"), 1, "warp")
    expect("info", run("info", ROM), 0, "4K", "NTSC", "core         ")
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
