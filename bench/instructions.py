#!/usr/bin/env python3
"""Count the instructions that sixer executes for a frame, with valgrind's callgrind.

    bench/instructions.py              all games; adds a row for this commit to docs/benchmarks/instructions.csv
    bench/instructions.py --quick      a dozen games, printed only
    bench/instructions.py pong alien   these games, printed only
    bench/instructions.py --functions pong
                                       the functions that take most of a game's frames
    bench/instructions.py --table      write instructions.md again from the rows that are there

A count does not depend on the load of the machine, and two runs of one build give the same number, so counts of two
commits can be compared where times cannot. The count of a frame is a run of 1,200 frames less one of 400, divided by
800: one environment, random legal actions, sticky probability 0, with and without pictures. What the frames of a
reset need is part of it. valgrind does not know AVX-512, so lines are painted with AVX2.

Needs a release build, valgrind, and cartridge images where sixer finds them.
"""

import argparse
import concurrent.futures
import csv
import datetime
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHORT, LONG = 400, 1200  # frames
QUICK = [
    "alien",
    "assault",
    "beam_rider",
    "breakout",
    "freeway",
    "jamesbond",
    "montezuma_revenge",
    "ms_pacman",
    "pong",
    "seaquest",
    "word_zapper",
    "yars_revenge",
]
FIXED = ["commit", "date", "pictures", "games", "mean"]  # the first columns; then one per game


def run_counted(program, game, frames, options, out="/dev/null"):
    """The instructions of one run."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "bench", "raw", game]
    command += ["--runs", "1", "--warm-up", "0", "--frames", str(frames), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode or not found:
        sys.exit(f"instructions: {game} failed under valgrind:\n{result.stderr}")
    return int(found[1])


def count(program, game, options):
    """Instructions per frame."""
    return (run_counted(program, game, LONG, options) - run_counted(program, game, SHORT, options)) / (LONG - SHORT)


def functions_of(program, game, frames, options):
    """function -> instructions of its own, in one run. Translated code has no names and is one row."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        run_counted(program, game, frames, options, out)
        text = subprocess.run(
            ["callgrind_annotate", "--threshold=100", out], capture_output=True, text=True, check=True
        ).stdout
    costs = {}
    for line in text.splitlines():
        found = re.match(r"\s*([\d,]+) \([^)]*\)\s+(\S+)", line)
        if not found or found[2] == "PROGRAM":
            continue
        name = found[2].split(":")[-1].split("'")[0]
        name = "(translated code)" if re.match(r"0x|\?", name) else name
        costs[name] = costs.get(name, 0) + int(found[1].replace(",", ""))
    return costs


def print_functions(program, games, options, rows=40):
    for game in games:
        long, short = (functions_of(program, game, frames, options) for frames in (LONG, SHORT))
        costs = {name: (n - short.get(name, 0)) / (LONG - SHORT) for name, n in long.items()}
        total = sum(costs.values())
        print(f"{game}: {total:,.0f} instructions per frame")
        for name, n in sorted(costs.items(), key=lambda item: -item[1])[:rows]:
            print(f"  {n:9,.0f} {100 * n / total:5.1f} %  {name}")


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def count_all(program, games, options, jobs):
    """game -> instructions per frame, several games at once; their counts do not depend on each other."""
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(count, program, game, options): game for game in games}
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            counts[futures[future]] = future.result()
            if sys.stderr.isatty():
                print(f"\r{done}/{len(games)} {futures[future]:24s}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(f"\r{'':34s}\r", end="", file=sys.stderr)
    return {game: counts[game] for game in games}


def known_games(program):
    """The games of ale-py whose images are found."""
    listed = subprocess.run([program, "games", "--json"], capture_output=True, text=True, check=True).stdout
    return sorted(row["id"] for row in json.loads(listed) if row["image"] and row["gymnasium_id"].startswith("ALE/"))


def read_rows(path):
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    """One row per commit and mode; a game that a row does not have is left empty."""
    games = sorted({name for row in rows for name in row if name not in FIXED})
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIXED + games, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_table(path, rows):
    """The page: means of all commits, and the games of the newest, each beside the first count of it."""
    drawn = [row for row in rows if row["pictures"] == "yes"]
    blind = {row["commit"]: row for row in rows if row["pictures"] == "no"}
    games_of = {row["commit"]: [name for name in row if name not in FIXED and row[name]] for row in drawn}
    worst = {row["commit"]: max(games_of[row["commit"]], key=lambda g, r=row: float(r[g])) for row in drawn}
    games = games_of[drawn[-1]["commit"]]

    def number(text):
        return f"{round(float(text)):,}" if text else ""

    lines = [
        "# Instructions per frame",
        "",
        "Host instructions that sixer executes for a frame, counted by valgrind's callgrind: a number that does not",
        "depend on the load of the machine. Written by `bench/instructions.py`, which says how it counts; all rows are",
        "in [instructions.csv](instructions.csv). Means are geometric ones over the games of the row.",
        "",
        "| commit | date | games | pictures drawn | no pictures | most |",
        "|---|---|---|---|---|---|",
    ]
    for row in reversed(drawn):
        most = worst[row["commit"]]
        other = number(blind.get(row["commit"], {}).get("mean", ""))
        lines.append(
            f"| {row['commit']} | {row['date']} | {row['games']} | {number(row['mean'])} | {other} |"
            f" {most} {number(row[most])} |"
        )
    last = drawn[-1]
    lines += [
        "",
        f"Games, pictures drawn, at {last['commit']}, beside the commit that counted them first:",
        "",
        "| game | first | at | now | ratio | now without pictures |",
        "|---|---|---|---|---|---|",
    ]
    for game in games:
        first = next(row for row in drawn if row.get(game))
        old = number(first[game]), first["commit"], f"{float(last[game]) / float(first[game]):.2f}"
        then, at, ratio = ("", "", "") if first is last else old
        other = number(blind.get(last["commit"], {}).get(game, ""))
        lines.append(f"| {game} | {then} | {at} | {number(last[game])} | {ratio} | {other} |")
    path.write_text("\n".join(lines) + "\n")


def commit_name():
    """The commit, with a mark if tracked sources differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty=+"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--quick", action="store_true", help="a dozen games")
    parser.add_argument("--functions", action="store_true", help="print functions instead of one number")
    parser.add_argument("--no-picture", action="store_true", help="draw nothing (for games that are printed only)")
    parser.add_argument("--core", default="auto", help="auto, interp or plain (printed only)")
    parser.add_argument("--table", action="store_true", help="only write the page again")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/sixer")
    parser.add_argument("--commit", default=commit_name(), help="name of the row, if --program is not of this commit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/benchmarks")
    args = parser.parse_args()
    table, page = args.output / "instructions.csv", args.output / "instructions.md"
    if args.table:
        write_table(page, read_rows(table))
        return
    if not args.program.exists():
        build = "cmake --preset release && cmake --build --preset release"
        sys.exit(f"instructions: {args.program} is missing; build it: {build}")
    if not shutil.which("valgrind"):
        sys.exit("instructions: valgrind is missing (apt-get install valgrind)")
    games = args.games or (QUICK if args.quick else [])
    if args.functions or games:
        options = ["--core", args.core] + ["--no-picture"] * args.no_picture
        if args.functions:
            print_functions(args.program, games or ["pong"], options)
            return
        counts = count_all(args.program, games, options, args.jobs)
        for game, n in counts.items():
            print(f"{game:24s} {n:9,.0f}")
        print(f"{'(geometric mean)':24s} {geometric_mean(counts.values()):9,.0f}")
        return
    games = known_games(args.program)
    if not games:
        sys.exit("instructions: no cartridge images found (`sixer roms --help` says where they are looked for)")
    today = datetime.date.today().isoformat()
    rows = [row for row in read_rows(table) if row["commit"] != args.commit]
    for pictures, options in (("yes", []), ("no", ["--no-picture"])):
        counts = count_all(args.program, games, options, args.jobs)
        mean = geometric_mean(counts.values())
        print(f"pictures {pictures}: {mean:,.0f} instructions per frame, geometric mean of {len(games)} games")
        row = {"commit": args.commit, "date": today, "pictures": pictures, "games": len(games), "mean": round(mean)}
        rows.append(row | {game: round(n) for game, n in counts.items()})
        write_rows(table, rows)
        write_table(page, read_rows(table))


if __name__ == "__main__":
    main()
