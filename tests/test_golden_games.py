#!/usr/bin/env python3
# label: slow
"""Our digests equal the recorded ones on the games whose images are found."""
import sys

import golden

sys.exit(golden.main(["games"]))
