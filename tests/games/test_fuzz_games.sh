#!/bin/bash
# label: long
# The parser of game definitions under libFuzzer, with the address and undefined-behavior sanitizers.
#
#     tests/games/test_fuzz_games.sh [SECONDS]      30 in the suite; 600 for a thorough run
#
# Starts from the definitions of games/. An input that breaks it is kept in build/fuzz. Needs clang; skips without.
set -e
cd "$(dirname "$0")/../.."
seconds=${1:-30}
build=${SIXER_BUILD:-build/release}
if ! command -v clang >/dev/null; then
  echo "skipped: clang is not installed, and the fuzzer needs its libFuzzer"
  exit 77
fi
if ! [ -e "$build/game_builtin.c" ]; then
  echo "skipped: $build is not built"
  exit 77
fi
mkdir -p build/fuzz/corpus
if ! clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
     -Iinclude -Isrc tests/games/fuzz_games.c src/games/*.c "$build/game_builtin.c" -o build/fuzz/fuzz_games; then
  echo "failed: the fuzzer does not build"
  exit 1
fi
build/fuzz/fuzz_games -max_total_time="$seconds" -timeout=10 -max_len=8192 -dict=tests/games/fuzz_games.dict \
  -artifact_prefix=build/fuzz/ -verbosity=0 -print_final_stats=1 build/fuzz/corpus games 2>&1 | tail -15
exit "${PIPESTATUS[0]}"
