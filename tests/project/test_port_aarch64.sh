#!/usr/bin/env bash
# label: whole
# The same bytes on 64-bit ARM: traces of all games, tapes, checkpoints, plans and arrays of a build that qemu-user
# runs, and the tests of everything that is stored. test_aarch64.sh has the golden digests and the weights.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=aarch64
run=qemu-aarch64
tools="aarch64-linux-gnu-gcc qemu-aarch64"
cores=interp,plain,jit
. tests/support/port.sh
