#!/usr/bin/env bash
# label: whole
# The same bytes from a static build with musl instead of glibc: traces of all games, tapes, checkpoints, plans and
# arrays, and the tests of everything that is stored.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=musl
run=
tools=musl-gcc
cores=interp,jit,plain
. tests/support/port.sh
