#!/usr/bin/env bash
# label: whole
# The same bytes on 64-bit RISC-V: traces of all games, tapes, checkpoints, plans and arrays of a build that
# qemu-user runs, and the tests of everything that is stored.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=riscv64
run="qemu-riscv64 -L /usr/riscv64-linux-gnu"
tools="riscv64-linux-gnu-gcc qemu-riscv64"
cores=interp,plain
. tests/support/port.sh
