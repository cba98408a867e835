#!/usr/bin/env python3
# label: whole
"""More images, and every game, against the reference package, live."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import conformance  # noqa: E402

status = conformance.main(
    ["kernel", "pal", "opcodes", "bank", "types", "cpu", "--count", "36", "--first", "2000", "--jobs", "1"]
)
if status == 0:
    status = conformance.main(["games", "--steps", "40", "--jobs", "1", "--variants", "1"])
sys.exit(status)
