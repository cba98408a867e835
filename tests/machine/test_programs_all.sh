#!/usr/bin/env bash
# The three cores agree on 100,000 random programs: test_programs at length.
# label: whole
set -euo pipefail
"${SIXER_BUILD:-build/release}/tests/test_programs" 100000
