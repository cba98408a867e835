#!/usr/bin/env python3
# label: long, 22 s
"""The fast cores give the same results as the plain one, on random programs of every cartridge type. Does not need the
reference package.

SIXER_CORES_COUNT sets how many images of each kind are run."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import conformance  # noqa: E402
from generate import banks  # noqa: E402

SIXER = f"{os.environ.get('SIXER_BUILD', 'build/release')}/sixer"
KINDS = ("kernel", "pal", "opcodes", "bank")
CORES = ("interp", "jit")  # all but the plain one
FIRST = 100000  # seeds of its own: the golden tables and the conformance test use the low ones


def trace(path, options, core):
    command = [SIXER, "trace", str(path), "--game", "tetris", "--core", core] + options
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return run.stdout + run.stderr


def main():
    count = int(os.environ.get("SIXER_CORES_COUNT", "8"))
    images = different = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "image.bin"
        for kind in KINDS:
            # the type of a bank-switching image follows from the seed: all of them
            for seed in range(FIRST, FIRST + (max(count, len(banks.TYPES)) if kind == "bank" else count)):
                images += 1
                image, options = conformance.generated(kind, seed)
                path.write_bytes(image)
                plain = trace(path, options, "plain")
                for core in CORES:
                    shown = conformance.first_difference(trace(path, options, core), plain)
                    if shown:
                        different += 1
                        print(f"DIFFERENT {kind} {seed} ({core} is ours, plain theirs): {' '.join(options)}\n{shown}")
    print(f"{images} images, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
