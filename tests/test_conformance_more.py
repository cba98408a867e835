#!/usr/bin/env python3
# label: slow
"""More images, and every game, against the reference package, live."""
import sys

import conformance

status = conformance.main(["kernel", "pal", "opcodes", "bank", "types", "cpu", "--count", "36", "--first", "2000", "--jobs", "1"])
if status == 0:
    status = conformance.main(["games", "--steps", "40", "--jobs", "1", "--variants", "1"])
sys.exit(status)
