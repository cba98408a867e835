#!/usr/bin/env bash
# label: whole
# scripts/wheels for Linux on x86-64. The manylinux wheel is installed into a fresh environment of every CPython from
# 3.11 on that this machine has, and plays as the package of the build does. A CPython for musl is in no package of
# Debian, so of the musllinux wheel the program is run, which is static, and the extension is only looked at
# (scripts/wheel_check.py).
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup --wheels || true
.venv/bin/python -c 'import ziglang' 2>/dev/null || {
  echo "SKIPPED: zig is not installed (scripts/setup --wheels installs it)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/wheels "$work" manylinux-x86_64 musllinux-x86_64
wheel=$(echo "$work"/*manylinux*.whl)
cat >"$work/try.py" <<'PY'
import zlib

import sixer
import sixer.vector

env = sixer.make("duskrain")
env.reset(seed=1)
digest = 0
for step in range(200):
    digest = zlib.crc32(env.step(step % 3)[0].tobytes(), digest)
envs = sixer.vector.make(["duskrain", "sporefall"], 4, threads=2)
digest = zlib.crc32(envs.reset(seed=1)[0].tobytes(), digest)
print(digest, zlib.crc32(env.save()))
PY
ours=$(PYTHONPATH=${SIXER_BUILD:-build/release}/python .venv/bin/python "$work/try.py")
tried=0
for version in 3.11 3.12 3.13 3.14; do
  "python$version" -m venv "$work/$version" 2>/dev/null || continue
  "$work/$version/bin/pip" install --quiet --disable-pip-version-check "$wheel"
  found=$(cd "$work" && "$work/$version/bin/python" "$work/try.py")
  [ "$found" = "$ours" ] || { echo "Python $version: $found instead of $ours"; exit 1; }
  "$work/$version/bin/sixer" --version
  echo "Python $version: plays as the build"
  tried=$((tried + 1))
done
((tried)) || { echo "SKIPPED: there is no CPython 3.11 or newer to install the wheel for"; exit 77; }
.venv/bin/python -m zipfile -e "$work"/*musllinux*.whl "$work/musl"
musl=$work/musl/sixer/bin/sixer
chmod +x "$musl"
for game in duskrain undervault; do
  found=$("$musl" trace $game --steps 200 | tail -n 1)
  [ "$found" = "$("${SIXER_BUILD:-build/release}/sixer" trace $game --steps 200 | tail -n 1)" ] ||
    { echo "the program for musl: $game: $found"; exit 1; }
done
"$musl" train sarsa duskrain --frames 1500 --out "$work/musl/runs" >/dev/null # with threads
echo "the program for musl plays as the build"
