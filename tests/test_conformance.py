#!/usr/bin/env python3
"""A few images of every set against the reference package, live: the quick form of tests/conformance.py."""
import sys

import conformance

sys.exit(conformance.main(["kernel", "pal", "opcodes", "bank", "types", "cpu", "--count", "6", "--first", "1000", "--jobs", "1"]))
