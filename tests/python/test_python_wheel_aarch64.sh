# label: whole
# The wheel for 64-bit ARM: cross-compiled, with a manylinux tag, and under an emulated Python it plays as the package
# of this machine does.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup --aarch64 || true
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v $tool >/dev/null || {
    echo "SKIPPED: $tool is not installed (scripts/setup --aarch64 installs it)"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/wheel-aarch64 "$work"
ls "$work"/*-cp311-abi3-manylinux*_aarch64.whl
