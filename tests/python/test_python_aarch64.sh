#!/usr/bin/env bash
# label: whole
# The wheel for 64-bit ARM under an emulated Python: it plays as the package of this machine does, and the tests of the
# package pass. Python comes from Debian's arm64 packages, NumPy and the others from PyPI's wheels; they are unpacked
# into a folder that is removed in the end. What needs ale-py or OpenCV compares with programs that are not there, and
# is skipped by the tests themselves.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup --aarch64 || true
scripts/setup --wheels || true
for tool in qemu-aarch64 dpkg-deb; do
  command -v $tool >/dev/null || {
    echo "SKIPPED: $tool is not installed (scripts/setup --aarch64 installs it)"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheel=${SIXER_WHEEL-}
if [ -z "$wheel" ]; then
  .venv/bin/python -c 'import ziglang' 2>/dev/null || {
    echo "SKIPPED: zig is not installed (scripts/setup --wheels installs it)"
    exit 77
  }
  scripts/wheels "$work/wheels" manylinux-aarch64
  wheel=$(echo "$work"/wheels/*.whl)
fi

# ---- an emulated Python
root=$work/root
mkdir "$work/packages" "$root" "$work/site"
packages=(libpython3.11-minimal libpython3.11-stdlib python3.11-minimal libc6 libgcc-s1 libstdc++6 zlib1g libexpat1
  libbz2-1.0 liblzma5 libffi8 libssl3 libuuid1 libcrypt1 libsqlite3-0)
(cd "$work/packages" && apt-get -qq download "${packages[@]/%/:arm64}" 2>/dev/null) || {
  echo "SKIPPED: apt-get could not download Python for arm64 (scripts/setup --aarch64 adds the architecture)"
  exit 77
}
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$root"; done
.venv/bin/python -m pip install --quiet --disable-pip-version-check --target "$work/site" --only-binary=:all: \
  --python-version 3.11 --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 \
  "$wheel" numpy gymnasium pytest || {
  echo "SKIPPED: NumPy for arm64 could not be installed"
  exit 77
}
# The kernel here does not start programs for ARM, but Python and the tests start children of their own: both programs
# are scripts that call the emulator. Python finds its files by the name that it was called by.
export PYTHONPATH=$work/site:$PWD/tests/python PYTHONDONTWRITEBYTECODE=1
emulated() { # NAME PROGRAM
  # shellcheck disable=SC2016  # the script expands them
  printf '#!/bin/sh\nexec qemu-aarch64 -0 "$0" -L "%s" -E LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu "%s" "$@"\n' \
    "$root" "$2" >"$1"
  chmod +x "$1" "$2"
}
python=$root/usr/bin/emulated-python
emulated "$python" "$root/usr/bin/python3.11"
mv "$work/site/sixer/bin/sixer" "$work/program"
emulated "$work/site/sixer/bin/sixer" "$work/program"

# ---- it plays as the package here does
cat >"$work/try.py" <<'PY'
import zlib

import sixer
import sixer.vector

env = sixer.make("duskrain")
env.reset(seed=1)
digest = 0
for step in range(100):
    digest = zlib.crc32(env.step(step % 3)[0].tobytes(), digest)
envs = sixer.vector.make(["duskrain", "sporefall"], 4, threads=2)
digest = zlib.crc32(envs.reset(seed=1)[0].tobytes(), digest)
state = env.save()
env.restore(state)
print(digest, zlib.crc32(state), env.save() == state)
PY
theirs=$("$python" "$work/try.py")
ours=$(PYTHONPATH=${SIXER_BUILD:-build/release}/python .venv/bin/python "$work/try.py")
echo "arm64: $theirs; here: $ours"
[ "$theirs" = "$ours" ]
"$work/site/sixer/bin/sixer" --version

# ---- the tests of the package, but for two that the emulator does not stand: its assertion `cpu == current_cpu` fails
# in a forked child of a process with threads, and the resident memory is its own
"$python" -m pytest -q -rs -p no:cacheprovider --deselect 'tests/python/test_own.py::test_processes[fork]' \
  --deselect tests/python/test_own.py::test_memory_stays_flat \
  tests/python/test_states.py tests/python/test_own.py tests/python/test_interface.py tests/python/test_tape.py \
  tests/python/test_messages.py tests/python/test_multi.py tests/python/test_agents.py

# ---- memory stays flat: what malloc() has given out, instead of resident pages
cat >"$work/memory.py" <<'PY'
import ctypes

import sixer
import sixer.vector


class Mallinfo(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]


mallinfo2 = ctypes.CDLL("libc.so.6").mallinfo2
mallinfo2.restype = Mallinfo


def given_out():
    return sum(getattr(mallinfo2(), name) for name in ("uordblks", "hblkhd"))


def create(count):
    for number in range(count):
        env = sixer.make("duskrain")
        env.reset(seed=number)
        env.step(1)
        envs = sixer.vector.make("duskrain", 2, threads=2)
        envs.reset(seed=number)
        envs.restore(envs.save())


create(10)
before = given_out()
create(40)
grown = given_out() - before
print("80 environments created and dropped: memory has grown by", grown, "bytes")
assert grown < 1 << 18, grown
PY
"$python" "$work/memory.py"
