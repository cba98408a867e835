#!/usr/bin/env python3
# label: whole
"""Our digests equal the recorded ones on the games whose images are found."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import golden  # noqa: E402

sys.exit(golden.main(["games"]))
