#!/usr/bin/env bash
# The checked-in images of the test cartridges are what their sources assemble to.
set -euo pipefail
cd "$(dirname "$0")/../cartridges"
command -v dasm >/dev/null || {
  echo "SKIPPED: the assembler dasm is not installed (scripts/setup installs it)"
  exit 77
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
./build "$out"
status=0
for image in *.bin "$out"/*.bin; do
  name=$(basename "$image")
  cmp "$name" "$out/$name" || status=1
done
images=(*.bin)
echo "${#images[@]} images compared"
exit $status
