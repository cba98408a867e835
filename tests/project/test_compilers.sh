#!/usr/bin/env bash
# label: whole
# The same digests from gcc and clang, without and with optimization, and the same observations of vectors with any use
# of the processor's vector instructions; the same weights after learning; only public names in the libraries of both
# compilers. Builds go to a folder of the build in use.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${SIXER_BUILD:-build/release}/compilers
for compiler in gcc clang; do
  command -v $compiler >/dev/null || {
    echo "SKIPPED: $compiler is not installed (scripts/setup installs it)"
    exit 77
  }
  for level in O0 O2; do
    folder=$build/$compiler-$level
    cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_C_FLAGS_RELEASE="-$level" -DSIXER_BUILD_TESTS=OFF >/dev/null
    cmake --build "$folder" --target sixer_program sixer_shared sixer_static -- --quiet
    echo "$compiler -$level"
    SIXER_BUILD=$(realpath "$folder") python3 tests/project/test_symbols.py
    python3 tests/golden.py --sixer "$folder/sixer" --every 6 cartridges banks kernels
    "$folder/sixer" replay tests/data/tapes/*.tape
  done
  for flags in "-O0" "-O2" "-O2 -fno-tree-vectorize -fno-tree-slp-vectorize" "-O3 -march=native"; do
    folder=$build/$compiler${flags// /}
    cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_C_FLAGS_RELEASE="$flags" -DSIXER_BUILD_TESTS=ON >/dev/null
    cmake --build "$folder" --target test_vec test_sarsa test_nn_same test_deep_digest -- --quiet
    python3 tests/generate "$folder/tests/images"
    echo "$compiler $flags: resize, learning"
    "$folder/tests/test_vec" test_resize_golden
    "$folder/tests/test_sarsa" test_golden
    "$folder/tests/test_nn_same" test_golden
    "$folder/tests/test_deep_digest" test_golden
  done
done
