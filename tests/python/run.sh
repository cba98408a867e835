# Run pytest on the package in the build folder: run.sh ARGUMENTS, from the project's root. Exits 77, aloud, where
# something is missing.
set -euo pipefail
build=${SIXER_BUILD:-build/release}
python=${SIXER_PYTHON:-.venv/bin/python}
[ -x "$python" ] || { echo "skip: there is no $python (scripts/setup makes it)"; exit 77; }
ls "$build"/python/sixer/_sixer*.so >/dev/null 2>&1 || {
  echo "skip: the Python package was not built (Debian: python3-dev)"
  exit 77
}
for module in pytest gymnasium; do
  "$python" -c "import $module" 2>/dev/null || { echo "skip: $module is not installed in .venv"; exit 77; }
done
"$python" -c "import ale_py" 2>/dev/null || echo "ale_py is not installed: comparisons with it are left out"
export PYTHONPATH=$build/python:tests/python SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -rs -p no:cacheprovider -o faulthandler_timeout=300 "$@"
