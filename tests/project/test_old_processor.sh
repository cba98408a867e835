#!/usr/bin/env bash
# label: whole
# The same bytes on an x86-64 without AVX2, AVX, FMA or SSE4: the program of this machine, run by qemu-user as on the
# oldest such processor: traces of all games, tapes, checkpoints of learners, arrays.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = x86_64 ] || { echo "SKIPPED: this machine is not an x86-64"; exit 77; }
scripts/setup --aarch64 || true # qemu-user emulates this one as well
command -v qemu-x86_64 >/dev/null || {
  echo "SKIPPED: qemu-x86_64 is not installed (scripts/setup --aarch64 installs it)"
  exit 77
}
native=$(realpath "${SIXER_BUILD:-build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nexec qemu-x86_64 -cpu qemu64 "%s/sixer" "$@"\n' "$native" >"$work/sixer"
chmod +x "$work/sixer"
python3 tests/support/port.py --native "$native/sixer" --port "$work/sixer" --cores jit,interp --work "$work/port" \
  traces tapes checkpoints data
