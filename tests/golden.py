#!/usr/bin/env python3
"""Golden digests: what the reference package shows for fixed images and options, as rows of tests/golden/*.tsv.

    tests/golden.py                       check our program against all tables (no reference package needed)
    tests/golden.py --sixer PATH TABLE..  another build, or some tables: cartridges, banks, kernels, games
    tests/golden.py --make [TABLE...]     record the tables with the reference package

A row is: image, its MD5, options, digest of the trace (the CRC-32 at its end). An image is a file of tests/cartridges,
`kernel:SEED`, `pal:SEED`, `opcodes:SEED`, `TYPE:SEED` or `tour:TYPE` of the generators, or `game:ID`. Images of games
are not part of the project; rows whose image is not found are skipped and counted.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent
FOLDER = TESTS / "golden"
sys.path.insert(0, str(TESTS))
from generate import banks, kernels, tour  # noqa: E402
from support.telling_games import TELLING_GAMES  # noqa: E402

RULES = "tetris"  # under which images that are no game are played
ALL_COLUMNS = "--columns rgb,gray,sound"
GENERATORS = {"kernel": kernels.kernel, "pal": kernels.pal_kernel, "opcodes": kernels.opcodes}


# ---- what is in the tables -----------------------------------------------------------------------------------------


def rows_of_cartridges():
    for path in sorted((TESTS / "cartridges").glob("*.bin")):
        yield path.name, f"--steps 40 --hold 4 {ALL_COLUMNS}"
    for name in ("playfield", "players", "hmove", "frame_short", "frame_quiet"):
        yield f"{name}.bin", "--steps 30 --color-averaging --frame-skip 3"
    for name in ("undocumented", "decimal", "timing", "stack_tia", "noise", "breaks"):
        yield f"{name}.bin", "--steps 20 --cycle-cpu"
    yield "ports.bin", "--steps 200 --sticky 0.0"
    yield "sound.bin", "--steps 300 --frame-skip 2 --columns sound"
    yield "decimal.bin", "--steps 300 --every 50"


def rows_of_banks():
    for kind in banks.TYPES:
        yield f"tour:{kind}", "--steps 20"
    for kind in banks.TYPES:
        for seed in range(3):
            yield f"{kind}:{seed}", "--steps 40 --hold 3"


def rows_of_kernels():
    for seed in range(40):
        yield f"kernel:{seed}", f"--steps 20 --action-seed {seed}"
    for seed in range(10):
        yield f"kernel:{seed}", f"--steps 15 --frame-skip 2 --color-averaging {ALL_COLUMNS}"
        yield f"kernel:{seed}", "--steps 20 --cycle-cpu"
        yield f"kernel:{seed}", "--steps 20 --poke 2 --system-seed 99"
        yield f"pal:{seed}", f"--steps 20 {ALL_COLUMNS}"
    for seed in range(30):
        yield f"opcodes:{seed}", "--steps 30"


def rows_of_games():
    import conformance

    for game in conformance.supported_games():
        yield f"game:{game}", "--steps 300 --hold 6"
        yield f"game:{game}", f"--steps 60 --actions minimal --frame-skip 4 --color-averaging {ALL_COLUMNS}"
    for game in sorted([*TELLING_GAMES, "tetris"]):
        yield f"game:{game}", "--steps 400 --hold 6 --actions minimal --sticky 0.0"
    for game in ("breakout", "pong", "kaboom", "backgammon", "blackjack", "casino"):
        yield f"game:{game}", f"--steps 300 --strengths 7 --hold 4 {ALL_COLUMNS}"


TABLES = {"cartridges": rows_of_cartridges, "banks": rows_of_banks, "kernels": rows_of_kernels, "games": rows_of_games}


# ---- images --------------------------------------------------------------------------------------------------------


def image_of(name):
    """The bytes of an image that is not a game."""
    kind, _, seed = name.partition(":")
    if not seed:
        return (TESTS / "cartridges" / name).read_bytes()
    if kind == "tour":
        return tour.tour(seed)
    if kind in GENERATORS:
        return GENERATORS[kind](int(seed))
    return banks.bank_image(kind, int(seed))


def read_table(table):
    for line in (FOLDER / f"{table}.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


# ---- making and checking -------------------------------------------------------------------------------------------


def digest_of(trace):
    last = trace.splitlines()[-1] if trace else ""
    return last.removeprefix("# digest ") if last.startswith("# digest ") else None


def make(table):
    import conformance

    lines = ["# image\tmd5\toptions\tdigest of the reference package's trace (tests/golden.py --make)"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{RULES}.bin"
        for name, options in TABLES[table]():
            if name.startswith("game:"):
                rom = name.removeprefix("game:")
                image = conformance.ale_trace.image_path(rom).read_bytes()
            else:
                rom, image = path, image_of(name)
                path.write_bytes(image)
            trace = conformance.reference_trace(rom, options.split())
            digest = digest_of(trace)
            if digest is None:
                print(f"{name} {options}: the reference gives no trace: {trace.splitlines()[-1:]}; left out")
                continue
            lines.append(f"{name}\t{hashlib.md5(image).hexdigest()}\t{options}\t{digest}")
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{table}.tsv").write_text("\n".join(lines) + "\n")
    print(f"{table}: {len(lines) - 1} rows")


def run_trace(sixer, rom, options, rules):
    command = [sixer, "trace", str(rom)] + (["--game", rules] if rules else []) + options.split()
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return digest_of(run.stdout), run.stderr.strip()


def find_game(sixer, game, md5):
    """True if our program finds the very image that the row is about."""
    run = subprocess.run([sixer, "info", game], capture_output=True, text=True)
    return run.returncode == 0 and md5 in run.stdout


def check(table, sixer, every=1):
    """Returns (rows checked, rows left out, descriptions of the wrong ones)."""
    checked, absent, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{RULES}.bin"
        for name, md5, options, digest in list(read_table(table))[::every]:
            if name.startswith("game:"):
                rom, rules = name.removeprefix("game:"), None
                if not find_game(sixer, rom, md5):
                    absent += 1
                    continue
            else:
                rom, rules, image = path, RULES, image_of(name)
                if hashlib.md5(image).hexdigest() != md5:
                    wrong.append(f"{table}: {name} is no longer the image that was recorded")
                    continue
                path.write_bytes(image)
            found, message = run_trace(sixer, rom, options, rules)
            checked += 1
            if found != digest:
                wrong.append(f"{table}: {name} {options}: digest {found}, recorded {digest} {message}")
    return checked, absent, wrong


def main(argv=None):
    build = os.environ.get("SIXER_BUILD", str(TESTS.parent / "build" / "release"))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    p.add_argument("--make", action="store_true")
    p.add_argument("--sixer", default=f"{build}/sixer")
    p.add_argument("--every", type=int, default=1, help="check only every Nth row")
    args = p.parse_args(argv)
    for table in args.tables:
        if table not in TABLES:
            p.error(f"no table '{table}'; there are {', '.join(TABLES)}")
    tables = args.tables or list(TABLES)
    if args.make:
        for table in tables:
            make(table)
        return 0
    status = 0
    for table in tables:
        checked, absent, wrong = check(table, args.sixer, args.every)
        for line in wrong:
            print("WRONG", line)
            status = 1
        left_out = f", {absent} LEFT OUT because the image was not found" if absent else ""
        print(f"{table}: {checked} rows checked, {len(wrong)} wrong{left_out}")
        if not checked and absent and len(tables) == 1:
            return 77
    return status


if __name__ == "__main__":
    sys.exit(main())
