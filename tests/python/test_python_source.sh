#!/usr/bin/env bash
# label: whole
# pip installs the package from its source archive with gcc and with clang, and says what to install where a library or
# the compiler is missing. Compiled without optimization, which takes less time.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${SIXER_PYTHON:-.venv/bin/python}
"$python" -c "import scikit_build_core" 2>/dev/null || {
  echo "skip: scikit_build_core is not installed in .venv (scripts/setup installs it)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# the archive of scripts/release
git archive --format=tar --prefix=sixer/ HEAD 2>/dev/null | gzip -n >"$work/sixer.tar.gz" || {
  echo "skip: this folder is not a git checkout"
  exit 77
}
archive=$work/sixer.tar.gz
install() {
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --target "$work/$1" \
    -C cmake.build-type=Quick "${@:2}" "$archive"
}

# ---- what is missing is said, with the packages to install
expect() {
  if "${@:2}" >"$work/out" 2>&1; then echo "$*: was expected to fail"; exit 1; fi
  tr -s '[:space:]' ' ' <"$work/out" | grep -q "$1" ||
    { tail -n 40 "$work/out"; echo "'$1' is not in what it said"; exit 1; }
}
expect "apt install zlib1g-dev" install none -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON
expect "apt install libpng-dev libsqlite3-dev" install none -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
  -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
expect "python3-dev" install none -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_Python3=ON
echo "missing libraries are named"

# ---- both compilers
for compiler in ${SIXER_COMPILERS:-gcc clang}; do
  command -v "$compiler" >/dev/null || { echo "skip: $compiler is not installed (scripts/setup installs it)"; exit 77; }
  CC=$compiler CFLAGS=-O0 install "$compiler"
  (cd "$work" && PYTHONPATH=$work/$compiler "$OLDPWD/$python" -c '
import sixer
env = sixer.make("duskrain")
env.reset(seed=1)
env.step(1)
print("installed from source:", sixer.__file__.split("/")[-3], sixer.__version__)')
done
