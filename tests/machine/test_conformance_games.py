#!/usr/bin/env python3
# label: long
"""The quick part of tests/conformance/all: fifteen games under every setting, and some flavors of all games."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import games  # noqa: E402

sys.path.insert(0, str(games.TESTS))
from support.telling_games import TELLING_GAMES  # noqa: E402

sixer = games.BUILD / "sixer"
if not sixer.exists():
    print(f"SKIPPED: {sixer} is not built")
    sys.exit(77)
status = games.run_checks(["options"], str(sixer), jobs=2, only=TELLING_GAMES)
sys.exit(status or games.run_checks(["flavors"], str(sixer), jobs=2, every=29))
