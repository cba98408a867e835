#!/usr/bin/env bash
# label: whole
# The same bytes on 64-bit ARM: cross-compiled with Debian's gcc and run by qemu-user, the golden digests, the random
# programs, the observations of vectors, the tapes and the weights of learners equal those of x86-64; the operations
# of the translator's encoder mean what they say, and the listing of translated code is that of objdump. All three
# cores are compared, on our games and, if their images are found, on those of ale-py.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup --aarch64 || true
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v $tool >/dev/null || {
    echo "SKIPPED: $tool is not installed (scripts/setup --aarch64 installs it)"
    exit 77
  }
done
folder=${SIXER_BUILD:-build/release}/aarch64
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DSIXER_BUILD_TESTS=ON >/dev/null
cmake --build "$folder" --target sixer_program test_programs test_encoder test_protection test_vec test_sarsa \
  test_nn_same test_deep_digest -- --quiet
run=$folder/run-sixer
printf '#!/bin/sh\nexec qemu-aarch64 "%s/sixer" "$@"\n' "$(cd "$folder" && pwd)" >"$run"
chmod +x "$run"
python3 tests/golden.py --sixer "$run" cartridges banks kernels
python3 tests/golden.py --sixer "$run" --every 8 games
"$run" replay tests/data/tapes/*.tape
python3 tests/generate "$folder/tests/images"
find_test() { find "$folder/tests" -name "$1" -type f -perm -u+x | head -n 1; }
echo "operations of the encoder"
qemu-aarch64 "$(find_test test_encoder)"
qemu-aarch64 "$(find_test test_protection)"
SIXER_EMULATOR=qemu-aarch64 SIXER_HOST=aarch64 SIXER_BUILD=$folder python3 tests/cli/test_dump_jit.py
echo "random programs, three cores"
qemu-aarch64 "$(find_test test_programs)" 1000
echo "games, three cores and the native program"
python3 tests/cores_aarch64.py --arm "$run" --native "${SIXER_BUILD:-build/release}/sixer"
echo "observations"
qemu-aarch64 "$(find_test test_vec)" test_resize_golden
echo "weights"
qemu-aarch64 "$(find_test test_sarsa)" test_golden
qemu-aarch64 "$(find_test test_nn_same)" test_golden
qemu-aarch64 "$(find_test test_deep_digest)" test_golden
