#!/usr/bin/env python3
"""Our digests equal the recorded ones: a third of the rows of our own cartridges, every cartridge type and generated
programs. test_golden_all checks every row."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import golden  # noqa: E402

sys.exit(golden.main(["--every", "3", "cartridges", "banks", "kernels"]))
