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
# looked up, not imported: that takes a second
missing=$(LD_PRELOAD='' "$python" -c '
from importlib.util import find_spec
print(*[name for name in ("pytest", "gymnasium", "ale_py") if find_spec(name) is None])')
for module in pytest gymnasium; do
  case " $missing " in *" $module "*) echo "skip: $module is not installed in .venv"; exit 77 ;; esac
done
if [ "$missing" = ale_py ]; then echo "ale_py is not installed: comparisons with it are left out"; fi
export PYTHONPATH=$build/python:tests/python SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -rs -p no:cacheprovider -o faulthandler_timeout=300 "$@"
