# label: whole
# Older versions: the package under Gymnasium 0.29 and 1.0, and built for CPython 3.10 where that is installed.
set -euo pipefail
build=${SIXER_BUILD:-build/release}
python=${SIXER_PYTHON:-.venv/bin/python}
[ -x "$python" ] || { echo "skip: there is no $python (scripts/setup makes it)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SIXER_ROMS=${SIXER_ROMS:-$("$python" -c "import ale_py, os; print(os.path.dirname(ale_py.__file__) + '/roms')" \
  2>/dev/null || echo "$folder")}
export PYTHONDONTWRITEBYTECODE=1

# try_package PYTHON PACKAGE GYMNASIUM: our own tests, and the interface of ale_py, under this version of Gymnasium
try_package() {
  "$1" -m venv "$folder/$3"
  "$folder/$3/bin/pip" install -q "gymnasium==$3" pytest tomli 2>&1 | tail -1
  PYTHONPATH="$2" "$folder/$3/bin/python" tests/python/old_gymnasium.py
  PYTHONPATH="$2:tests/python" "$folder/$3/bin/python" -m pytest -q -p no:cacheprovider tests/python/test_own.py \
    tests/python/test_messages.py --deselect tests/python/test_own.py::test_as_a_program | tail -2
  rm -rf "${folder:?}/$3"
}

for version in 0.29.1 1.0.0; do
  try_package "$python" "$build/python" "$version"
done
old=
for candidate in python3.10 ~/.pyenv/versions/3.10*/bin/python; do
  if path=$("$candidate" -c "import sys; print(sys.executable)" 2>/dev/null); then old=$path; fi
done
if [ -n "$old" ]; then
  cmake -S . -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DSIXER_BUILD_TESTS=OFF \
    -DPython3_EXECUTABLE="$old" >/dev/null
  cmake --build "$folder/build" --target sixer_python -j 2 >/dev/null
  try_package "$old" "$folder/build/python" 0.29.1
else
  echo "CPython 3.10 is not installed: it was not tried"
fi
