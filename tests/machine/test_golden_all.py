#!/usr/bin/env python3
# label: long
"""Our digests equal the recorded ones on our own cartridges, every cartridge type and generated programs."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import golden  # noqa: E402

sys.exit(golden.main(["cartridges", "banks", "kernels"]))
