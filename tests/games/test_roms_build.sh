#!/bin/bash
# Our games rebuild from source, byte for byte, and their definitions name the images that are checked in.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v dasm >/dev/null; then
  echo "skipped: dasm is not installed (apt-get install dasm)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/roms/build" --out "$work" || exit 1
status=0
count=0
for image in "$root"/roms/*.bin; do
  name=$(basename "$image" .bin)
  count=$((count + 1))
  if ! cmp "$image" "$work/$name.bin"; then
    echo "roms/$name.bin differs from its source; run roms/build"
    status=1
  fi
  md5=$(md5sum <"$image" | cut -d' ' -f1)
  if ! grep -q "^md5 *$md5$" "$root/roms/$name.game"; then
    echo "roms/$name.game does not name the image $md5"
    status=1
  fi
done
if [ "$count" -ne 8 ]; then
  echo "$count images in roms/, expected 8"
  status=1
fi
if "$root/roms/build" --out "$work" nonesuch 2>/dev/null; then
  echo "roms/build accepts a game that does not exist"
  status=1
fi
[ $status -eq 0 ] && echo "eight images equal their sources"
exit $status
