#!/usr/bin/env python3
"""Compare the traces of games of a program for 64-bit ARM, run by qemu-user, with those of the native program.

    tests/cores_aarch64.py --arm build/release/aarch64/run-sixer --native build/release/sixer [--steps N] [GAME ...]

Memory, screens, sound and rewards of every game whose image is found, by each core; the plain core, which is slow,
plays a tenth of the steps. Used by project/test_aarch64.sh.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys


def games_of(program):
    listed = subprocess.run([program, "games", "--json"], capture_output=True, text=True, check=True).stdout
    return sorted(row["id"] for row in json.loads(listed) if row["image"])


def trace(program, game, core, steps):
    command = [program, "trace", game, "--core", core, "--steps", str(steps), "--hold", "3", "--save-restore", "97"]
    command += ["--columns", "rgb,sound", "--every", "5"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    return result.stdout if result.returncode == 0 else f"status {result.returncode}: {result.stderr}"


def first_difference(ours, theirs):
    for one, other in zip(ours.splitlines(), theirs.splitlines(), strict=False):
        if one != other:
            return f"  ARM     {one}\n  native  {other}"
    return "  one trace is shorter" if ours != theirs else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--arm", required=True)
    parser.add_argument("--native", required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--cores", default="jit,interp,plain")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    games = args.games or games_of(args.native)
    different = 0

    def compare(game, core):
        steps = args.steps // 10 if core == "plain" else args.steps
        return first_difference(trace(args.arm, game, core, steps), trace(args.native, game, "jit", steps))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = {(game, core): pool.submit(compare, game, core) for game in games for core in args.cores.split(",")}
        for (game, core), future in futures.items():
            if future.result():
                different += 1
                print(f"DIFFERENT {game}, core {core}\n{future.result()}")
    print(f"{len(games)} games, cores {args.cores}: {different} differences")
    return 1 if different or not games else 0


if __name__ == "__main__":
    sys.exit(main())
