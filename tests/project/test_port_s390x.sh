#!/usr/bin/env bash
# label: whole
# The same bytes on IBM Z (s390x), a big-endian machine: traces of all games, tapes, checkpoints, plans and arrays of a
# build that qemu-user runs, and the tests of everything that is stored.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=s390x
run="qemu-s390x -L /usr/s390x-linux-gnu"
tools="s390x-linux-gnu-gcc qemu-s390x"
cores=interp,plain
. tests/support/port.sh
