#!/bin/bash
# label: long
# The reader of containers (checkpoints, saved agents) under libFuzzer, with the address and undefined-behavior
# sanitizers.
#
#     tests/util/test_fuzz_sections.sh [SECONDS]      20 in the suite; 600 for a thorough run
#
# Starts from a small container and a checkpoint of a short run. An input that breaks it is kept in build/fuzz. Needs
# clang; skips without.
set -e
cd "$(dirname "$0")/../.."
seconds=${1:-20}
build=${SIXER_BUILD:-build/release}
if ! command -v clang >/dev/null; then
  echo "skipped: clang is not installed, and the fuzzer needs its libFuzzer"
  exit 77
fi
mkdir -p build/fuzz/sections
if ! clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
     -Iinclude -Isrc tests/util/fuzz_sections.c src/util/sections.c src/util/sections_read.c src/util/replace.c \
     -lz -o build/fuzz/fuzz_sections; then
  echo "failed: the fuzzer does not build"
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/sixer" train random sporefall --frames 1k --out "$folder" >/dev/null
cp "$folder"/*.checkpoint build/fuzz/sections/
python3 - build/fuzz/sections/small <<'PYTHON'
import struct, sys, zlib
def section(name, data):
    head = struct.pack("<24sQ", name, len(data))
    return head + struct.pack("<II", zlib.crc32(head, zlib.crc32(data)), 0) + data
body = section(b"one", struct.pack("<Q4s", 4, b"text")) + section(b"two", b"") + section(b"end", struct.pack("<Q", 2))
open(sys.argv[1], "wb").write(b"6section" + struct.pack("<II", 1, 0) + body)
PYTHON
build/fuzz/fuzz_sections -max_total_time="$seconds" -timeout=10 -max_len=4096 -artifact_prefix=build/fuzz/ \
  -verbosity=0 -print_final_stats=1 build/fuzz/sections 2>&1 | tail -15
exit "${PIPESTATUS[0]}"
