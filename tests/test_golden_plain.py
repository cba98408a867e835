#!/usr/bin/env python3
# label: slow
"""The recorded digests once more with the plain core, which the fast ones are checked against."""
import os
import sys

import golden

os.environ["SIXER_CORE"] = "plain"
sys.exit(golden.main(["cartridges", "banks", "kernels"]))
