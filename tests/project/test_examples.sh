#!/usr/bin/env bash
# Every example runs and says something; those that take a ROM play a cartridge of ours, and complain when it is
# missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${SIXER_BUILD:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in examples/*.c; do
  example=$build/examples/$(basename "$source" .c)
  if ! grep -q argv "$source"; then
    output=$("$example")
  else
    output=$("$example" tests/cartridges/players.bin "$work/$(basename "$source").png")
    if "$example" "$work/no-such-file.bin" 2>"$work/message"; then
      echo "$example: no failure without a cartridge"
      exit 1
    fi
    grep -q no-such-file "$work/message" || { echo "$example: unclear message: $(cat "$work/message")"; exit 1; }
  fi
  [ -n "$output" ] || { echo "$example: prints nothing"; exit 1; }
  echo "$output"
done
# the picture that hello writes: 8-bit RGB, 320 pixels wide, 210 high
python3 - "$work/hello.c.png" <<'PY'
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR", "not a PNG"
assert struct.unpack(">IIBB", data[16:26]) == (320, 210, 8, 2), struct.unpack(">IIBB", data[16:26])
PY
