#!/usr/bin/env python3
"""Every game in every flavor, compared with the reference package ale-py through recorded digests.

    tests/conformance/all                          check our program against all tables; needs the images only
    tests/conformance/all flavors --only pong      some tables, some games
    tests/conformance/all --make [TABLE...]        record the tables with the reference package
    tests/conformance/all --show GAME OPTION...    run both and show the first row in which they differ

Tables (tests/conformance/TABLE.tsv): `flavors`, each pair of mode and difficulty of each game; `long`, 10,000 steps of
each game; `options`, each game under every setting of the environment, with bytes poked into its memory, and saved and
restored. A row is game, MD5 of its image, options of `sixer trace`, digest of the trace. Images are not part of the
project: rows whose image is not found are skipped and counted. Exit status 0: equal, 1: different, 77: no images.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
TESTS = FOLDER.parent
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", TESTS.parent / "build" / "release"))

# The reference restores less than we do (drawing masks, a flag of the frame, damaged counters), or its reset ends in
# the middle of a frame that a restore then loses.
NO_RESTORE = {"yars_revenge", "tic_tac_toe_3d", "miniature_golf", "tetris", "qbert"}

# The reference compares with a number of lives that it never set, so what it does depends on the process.
NO_LIFE_LOSS = {"atlantis2"}


# ---- what is compared ----------------------------------------------------------------------------------------------


def rows_of_flavors(game, modes, difficulties):
    for mode in modes:
        for difficulty in difficulties:
            yield f"--steps 60 --hold 4 --frame-skip 3 --mode {mode} --difficulty {difficulty}"


def rows_of_long(game, modes, difficulties):
    yield "--steps 10000 --hold 8 --seed 11 --action-seed 21"


def rows_of_options(game, modes, difficulties):
    last, hardest = modes[-1], difficulties[-1]
    yield "--steps 400 --hold 6 --color-averaging"
    yield "--steps 1500 --hold 5 --actions minimal --sticky 0.0 --seed 3"
    yield "--steps 200 --sticky 0.9 --frame-skip 4 --action-seed 8"
    yield f"--steps 300 --hold 4 --max-frames 97 --frame-skip 2 --difficulty {hardest}"
    yield "--steps 500 --poke 5 --poke-seed 9 --hold 3"
    yield "--steps 200 --system-seed 12345 --hold 3"
    yield f"--steps 150 --hold 3 --mode {last} --color-averaging --frame-skip 5 --sticky 0.5"
    if game not in NO_LIFE_LOSS:
        yield "--steps 800 --hold 6 --life-loss --actions minimal"
    if game not in NO_RESTORE:
        yield "--steps 300 --hold 4 --save-restore 37"


TABLES = {"flavors": rows_of_flavors, "long": rows_of_long, "options": rows_of_options}


# ---- recording -----------------------------------------------------------------------------------------------------


def digest_of(trace):
    last = trace.splitlines()[-1] if trace else ""
    return last.removeprefix("# digest ") if last.startswith("# digest ") else None


def reference():
    """The module that runs the reference package, which only recording needs."""
    sys.path[:0] = [str(TESTS), str(TESTS / "reference")]
    import conformance

    return conformance


def flavors_of(path):
    from ale_py import ALEInterface, LoggerMode

    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.loadROM(str(path))
    return list(ale.getAvailableModes()), list(ale.getAvailableDifficulties())


def record(job):
    game, options = job
    return digest_of(reference().reference_trace(game, options.split()))


def make(table, jobs):
    module = reference()
    work, md5 = [], {}
    for path in module.package_images():
        if path.stem in module.supported_games():
            md5[path.stem] = hashlib.md5(path.read_bytes()).hexdigest()
            work += [(path.stem, options) for options in TABLES[table](path.stem, *flavors_of(path))]
    lines = [f"# game\tmd5\toptions\tdigest of the reference package's trace (tests/conformance/all --make {table})"]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for done, ((game, options), digest) in enumerate(zip(work, pool.map(record, work, chunksize=4))):
            if digest is None:
                raise SystemExit(f"{game} {options}: the reference gives no trace")
            lines.append(f"{game}\t{md5[game]}\t{options}\t{digest}")
            if done % 100 == 99:
                print(f"{table}: {done + 1} of {len(work)}", file=sys.stderr, flush=True)
    (FOLDER / f"{table}.tsv").write_text("\n".join(lines) + "\n")
    print(f"{table}: {len(lines) - 1} rows")


# ---- checking ------------------------------------------------------------------------------------------------------


def read_table(table):
    for line in (FOLDER / f"{table}.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def has_image(sixer, game, md5, known={}):  # noqa: B006  the answers are kept on purpose
    if game not in known:
        run = subprocess.run([sixer, "info", game], capture_output=True, text=True)
        known[game] = run.stdout if run.returncode == 0 else ""
    return md5 in known[game]


def our_digest(sixer, game, options):
    run = subprocess.run([sixer, "trace", game] + options.split(), capture_output=True, text=True, timeout=600)
    return digest_of(run.stdout), run.stderr.strip()


def check(table, sixer, jobs=1, only=None, every=1):
    """Returns (rows checked, rows left out, descriptions of the wrong ones)."""
    rows = [r for r in read_table(table) if not only or r[0] in only][::every]
    there = [r for r in rows if has_image(sixer, r[0], r[1])]
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda r: our_digest(sixer, r[0], r[2]), there)
        for (game, _, options, digest), (found, message) in zip(there, results):
            if found != digest:
                wrong.append(f"{game} {options}: digest {found}, recorded {digest} {message}")
    return len(there), len(rows) - len(there), wrong


def run_checks(tables, sixer, jobs=1, only=None, every=1):
    total, absent, status = 0, 0, 0
    for table in tables:
        checked, missing, wrong = check(table, sixer, jobs, only, every)
        for line in wrong:
            print("WRONG", line)
        left_out = f", {missing} LEFT OUT: their images were not found" if missing else ""
        print(f"{table}: {checked} rows checked, {len(wrong)} wrong{left_out}", flush=True)
        total, absent, status = total + checked, absent + missing, status or bool(wrong)
    if not total:
        print(
            f"SKIPPED: no images of games were found (sixer roms import, or pip install ale-py); {absent} rows left out"
        )
        return 77
    return int(status)


def show(sixer, game, options):
    module = reference()
    found = module.first_difference(module.our_trace(sixer, game, options), module.reference_trace(game, options))
    print(found or "equal")
    return 1 if found else 0


def main(argv=None):
    p = argparse.ArgumentParser(
        prog="tests/conformance/all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    p.add_argument("--make", action="store_true")
    p.add_argument("--only", help="these games, with commas")
    p.add_argument("--every", type=int, default=1, help="only every Nth row")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--sixer", default=str(BUILD / "sixer"))
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["--show"]:
        return show(str(BUILD / "sixer"), arguments[1], arguments[2:])
    args = p.parse_args(arguments)
    for table in args.tables:
        if table not in TABLES:
            p.error(f"no table '{table}'; there are {', '.join(TABLES)}")
    tables = args.tables or list(TABLES)
    if args.make:
        for table in tables:
            make(table, args.jobs)
        return 0
    if not pathlib.Path(args.sixer).exists():
        print(f"SKIPPED: {args.sixer} is not built")
        return 77
    return run_checks(tables, args.sixer, args.jobs, args.only and args.only.split(","), args.every)


if __name__ == "__main__":
    sys.exit(main())
