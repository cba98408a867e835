#!/usr/bin/env python3
# label: long, 25 s
"""Memory, threads and disks that fail at the n-th call, in the whole program.

Each command is run once as it is. Then it is run again and again with tests/support/faults.c preloaded, which lets one
call fail: allocations, mmap, mprotect, pthread_create, fsync, rename, link, write, open. A run must end by itself with
status 0 and the same results, or with status 1 or 2, a message, and every older file unchanged. The same
holds on a disk that is full after so many bytes (a limit of file sizes).

    tests/cli/test_faults.py [FAULTS]          about 250 in the suite; there are tens of thousands
    tests/cli/test_faults.py FAULTS PART/PARTS one of so many parts of them, counted from 0
    scripts/fuzz --counts faults               5,000, in parts
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", "build/release")).resolve()
SIXER = BUILD / "sixer"
ROOT = pathlib.Path(__file__).resolve().parents[2]
TAPE = ROOT / "tests/data/tapes/sporefall.tape"
FUNCTIONS = ["malloc", "mmap", "mprotect", "pthread_create", "fsync", "rename", "link", "write", "open"]
failures = 0
faults = 0


def fail(what, result):
    global failures
    failures += 1
    print(f"FAILED {what}: status {result.returncode}\n{result.stdout[-300:]!r}\n{result.stderr[-600:]!r}")


NETWORK = "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4"


EXPERIMENT = """protocol = "machado2018"
games = ["sporefall"]
frames = 200
evaluation = 0
[agent.random]
[agent.sarsa]
features = "ram"
"""
# what these print depends on the time, or on the order of threads
UNSTEADY = ("lab", "apex")


def commands(scores, model, experiment):
    """Name, arguments, and the output that is replaced, if any."""
    apex = ["apex", "local", "dqn", "sporefall", "--set", NETWORK, "--lockstep", "--frames", "200", "--evaluation", "0"]
    return [
        ("info", ["info", "sporefall", "--json"], None),
        ("replay", ["replay", TAPE, "--json"], None),
        ("sound", ["replay", TAPE, "--sound", "out.wav"], "out.wav"),
        ("film", ["replay", TAPE, "--video", "out.gif"], "out.gif"),
        ("export", ["replay", TAPE, "--export", "data"], None),
        ("record", ["record", "random", "sporefall", "-o", "out.tape", "--max-frames", "300"], None),
        ("train", ["train", "random", "sporefall", "--frames", "1k", "--out", "runs"], None),
        ("learn", ["train", "dqn", "sporefall", "--frames", "200", "--set", NETWORK, "--out", "runs"], None),
        ("network", ["model", "export", model, "-o", "out.npz"], "out.npz"),
        ("weights", ["model", "import", model, model.with_suffix(".npz"), "-o", "out.checkpoint"], "out.checkpoint"),
        ("background", ["background", "sporefall", "--screens", "20", "-o", "out.background"], "out.background"),
        ("repair", ["tape", "repair", TAPE, "-o", "out.tape"], None),
        ("trim", ["tape", "trim", TAPE, "--from", "1", "--to", "3", "-o", "out.tape"], None),
        ("eval", ["eval", scores, "--protocol", "machado2018", "--json"], None),
        ("games", ["games", "--json"], None),
        ("import", ["roms", "import", "roms"], None),
        ("trace", ["trace", "sporefall", "--steps", "20"], None),
        ("report", ["report", scores, "--protocol", "machado2018", "-o", "out.html"], "out.html"),
        ("lab", ["lab", "run", experiment, "--store", "out.db", "--jobs", "2"], None),
        ("apex", [*apex, "--out", "runs"], None),
    ]


def run(arguments, folder, environment, limit=None):
    def confine():
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [SIXER, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        preexec_fn=confine,
        check=False,
    )


def fresh(folder, output):
    """An empty folder with an older output and images to import."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "roms").mkdir(parents=True)
    (folder / "roms" / "one.bin").write_bytes(bytes(4096))
    if output:
        (folder / output).write_bytes(b"older")


def same_text(found, expected):
    """Refused memory for code means the interpreter, and `sixer info` says so instead of what was translated."""
    refused = rb'"core": "interp: the system refuses executable memory[^"]*"'
    if re.search(refused, found):
        found, expected = (re.sub(rb'"core": "[^"]*"', b"", text) for text in (found, expected))
    return found == expected


def check(what, folder, output, result, expected):
    """`expected`: what a run without faults prints and writes."""
    if result.returncode < 0 or result.returncode > 2:
        return fail(f"{what} was killed", result)
    left = [str(p) for p in folder.rglob(".*part-*")]
    if left:
        return fail(f"{what} left {left}", result)
    if result.returncode:
        if not result.stderr.strip():
            return fail(f"{what} says nothing", result)
        if output and (folder / output).read_bytes() not in (b"older", expected[1]):
            return fail(f"{what} damaged {output}", result)
    else:
        if expected[0] is not None and not same_text(result.stdout, expected[0]):
            return fail(f"{what} prints something else", result)
        if output and (folder / output).read_bytes() != expected[1]:
            return fail(f"{what} wrote something else to {output}", result)
    return None


def main():
    global faults
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    part, parts = map(int, sys.argv[2].split("/")) if len(sys.argv) > 2 else (0, 1)
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        shim = base / "faults.so"
        built = subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", ROOT / "tests/support/faults.c", "-o", shim],
            capture_output=True,
            check=False,
        )
        if built.returncode:
            print(f"skipped: the shim does not build\n{built.stderr.decode()}")
            return 77
        scores = base / "scores.csv"
        experiment = base / "small.toml"
        experiment.write_text(EXPERIMENT)
        scores.write_text("game,agent,run,score\npong,A,0,20\npong,A,1,19\nbreakout,A,0,400\n")
        plain = {k: v for k, v in os.environ.items() if not k.startswith("SIXER_")}
        plain.update(HOME=name, XDG_DATA_HOME=name, SIXER_ROMS=str(base / "images"))
        folder = base / "work"
        model = base / "dqn_sporefall_1.checkpoint"
        for arguments in (
            ["train", "dqn", "sporefall", "--frames", "200", "--set", NETWORK, "--out", base],
            ["model", "export", model, "-o", model.with_suffix(".npz")],
        ):
            prepared = run(arguments, base, plain)
            if prepared.returncode:
                fail("what the faults need", prepared)
        todo = []
        expected = {}
        for what, arguments, output in commands(scores, model, experiment):
            results = []
            for _ in range(2):
                fresh(folder, output)
                results.append(run(arguments, folder, plain))
                if results[-1].returncode > 1 or results[-1].returncode < 0:
                    fail(f"{what} without faults", results[-1])
            same = results[0].stdout == results[1].stdout and what not in UNSTEADY
            expected[what] = (results[0].stdout if same else None, (folder / output).read_bytes() if output else None)
            fresh(folder, output)
            counted = dict(plain, LD_PRELOAD=str(shim), SIXER_FAULT="none:0", SIXER_FAULT_COUNT=str(base / "count"))
            run(arguments, folder, counted)
            calls = dict(line.split() for line in (base / "count").read_text().splitlines())
            for function in FUNCTIONS:
                todo += [(what, arguments, output, function, n) for n in range(1, int(calls[function]) + 1)]
            if output:
                size = len(expected[what][1])
                todo += [(what, arguments, output, "disk", n) for n in (0, 1, 100, size // 2, size - 1)]
            else:
                todo += [(what, arguments, output, "disk", n) for n in (0, 1, 100, 4096)]
        total = len(todo)
        step = max(1, total // most)
        # rare faults always, frequent ones spread evenly
        rare = [t for t in todo if t[3] not in ("malloc",)]
        rare = rare if len(rare) <= most // 2 else rare[:: max(1, 2 * len(rare) // most)]
        chosen = rare + [t for t in todo[::step] if t[3] == "malloc"]
        for what, arguments, output, function, n in chosen[part::parts]:
            fresh(folder, output)
            if function == "disk":
                result = run(arguments, folder, plain, limit=n)
            else:
                result = run(arguments, folder, dict(plain, LD_PRELOAD=str(shim), SIXER_FAULT=f"{function}:{n}"))
            faults += 1
            check(f"{what} with {function} {n}", folder, output, result, expected[what])
            if failures > 10:
                break
        print(f"{faults} of {total} faults injected, {failures} failures")
    return failures > 0


sys.exit(main())
