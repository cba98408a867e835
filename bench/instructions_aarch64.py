#!/usr/bin/env python3
"""Count the instructions that sixer executes for a frame on 64-bit ARM, with the translator and with the interpreter.

    bench/instructions_aarch64.py              ten games; writes docs/benchmarks/aarch64.md
    bench/instructions_aarch64.py pong alien   these games, printed only

The program runs in qemu-user, where a plugin of ours (count_instructions.c) counts. A count does not depend on the load
of the machine. The count of a frame is a run of 600 frames less one of 200, divided by 400: one environment, random
legal actions, sticky probability 0, with pictures. The page has the counts of x86-64 beside them, by the same plugin.

Needs a build for ARM (tests/project/test_aarch64.sh makes one), a release build, qemu-user, gcc, and cartridge images
where sixer finds them.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHORT, LONG = 200, 600  # frames
GAMES = [
    "asterix",
    "beam_rider",
    "breakout",
    "enduro",
    "montezuma_revenge",
    "ms_pacman",
    "pong",
    "qbert",
    "seaquest",
    "space_invaders",
]
PAGE_HEAD = """\
# Instructions per frame on 64-bit ARM

Instructions that sixer executes for a frame on AArch64 and x86-64, with the translator (jit) and the interpreter
(interp), counted by a plugin of qemu-user: a number that does not depend on the load of the machine, and says nothing
about how long an instruction takes. Written by `bench/instructions_aarch64.py`, which says how it counts. The columns
*ratio* are jit / interp; the last row has geometric means.

| game | AArch64 jit | AArch64 interp | ratio | x86-64 jit | x86-64 interp | ratio |
|---|---|---|---|---|---|---|
"""


def build_plugin(folder):
    plugin = pathlib.Path(folder) / "count.so"
    source = ROOT / "bench" / "count_instructions.c"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, source], check=True)
    return plugin


def run_counted(emulator, plugin, program, game, core, frames):
    command = [emulator, "-plugin", plugin, "-d", "plugin", program, "bench", "raw", game, "--core", core]
    command += ["--runs", "1", "--warm-up", "0", "--frames", str(frames)]
    result = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"instructions: (\d+)", result.stderr)
    if result.returncode or not found:
        sys.exit(f"instructions_aarch64: {game} failed in {emulator}:\n{result.stderr}")
    return int(found[1])


def count(*arguments):
    return (run_counted(*arguments, LONG) - run_counted(*arguments, SHORT)) / (LONG - SHORT)


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def rows_of(counts, games):
    """Lines of the table: counts by (host, core, game)."""
    for game in games:
        cells = []
        for host in ("aarch64", "x86_64"):
            jit, interp = counts[host, "jit", game], counts[host, "interp", game]
            cells += [f"{jit:,.0f}", f"{interp:,.0f}", f"{jit / interp:.2f}"]
        yield f"| {game} | " + " | ".join(cells) + " |"
    cells = []
    for host in ("aarch64", "x86_64"):
        means = [geometric_mean(counts[host, core, game] for game in games) for core in ("jit", "interp")]
        cells += [f"{means[0]:,.0f}", f"{means[1]:,.0f}", f"{means[0] / means[1]:.2f}"]
    yield "| geometric mean | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--arm", type=pathlib.Path, default=ROOT / "build/release/aarch64/sixer")
    parser.add_argument("--x86", type=pathlib.Path, default=ROOT / "build/release/sixer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    args = parser.parse_args()
    for program, how in ((args.arm, "tests/project/test_aarch64.sh"), (args.x86, "cmake --build --preset release")):
        if not program.exists():
            sys.exit(f"instructions_aarch64: {program} is missing; {how} builds it")
    hosts = {"aarch64": ("qemu-aarch64", args.arm), "x86_64": ("qemu-x86_64", args.x86)}
    games = args.games or GAMES
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        plugin = build_plugin(folder)
        futures = {
            (host, core, game): pool.submit(count, emulator, plugin, program, game, core)
            for host, (emulator, program) in hosts.items()
            for core in ("jit", "interp")
            for game in games
        }
        counts = {key: future.result() for key, future in futures.items()}
    text = PAGE_HEAD + "\n".join(rows_of(counts, games)) + "\n"
    if args.games:
        print(text[text.index("| game") :], end="")
    else:
        (ROOT / "docs/benchmarks/aarch64.md").write_text(text)
        print(text.splitlines()[-1])


if __name__ == "__main__":
    main()
