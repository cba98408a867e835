#!/usr/bin/env python3
# label: whole
"""The recorded digests once more with the plain core, which the fast ones are checked against."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import golden  # noqa: E402

os.environ["SIXER_CORE"] = "plain"
sys.exit(golden.main(["cartridges", "banks", "kernels"]))
