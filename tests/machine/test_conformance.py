#!/usr/bin/env python3
"""A few images of every set against the reference package, live: the quick form of tests/conformance.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import conformance  # noqa: E402

sys.exit(
    conformance.main(
        ["kernel", "pal", "opcodes", "bank", "types", "cpu", "--count", "3", "--first", "1000", "--jobs", "1"]
    )
)
