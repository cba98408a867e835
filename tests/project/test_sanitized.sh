#!/usr/bin/env bash
# label: whole
# The digests in the build with address and undefined-behavior sanitizers, where it exists: nothing is reported.
set -euo pipefail
cd "$(dirname "$0")/../.."
sixer=build/sanitize/sixer
[ -x $sixer ] || { echo "SKIPPED: there is no $sixer (scripts/test builds it)"; exit 77; }
cmake --build build/sanitize --target sixer -- --quiet # it may be an old one
$sixer replay tests/data/tapes/*.tape
python3 tests/golden.py --sixer $sixer --every 9 cartridges banks kernels
