#!/usr/bin/env python3
"""Our digests equal the recorded ones on our own cartridges, every cartridge type and generated programs."""
import sys

import golden

sys.exit(golden.main(["cartridges", "banks", "kernels"]))
