# label: long, 20 s
# Several players: sixer.multi gives the digests that were recorded from multi-agent-ale-py 0.1.12 (tests/players.py).
set -euo pipefail
build=${SIXER_BUILD:-build/release}
python=${SIXER_PYTHON:-.venv/bin/python}
[ -x "$python" ] || { echo "skip: there is no $python (scripts/setup makes it)"; exit 77; }
ls "$build"/python/sixer/_sixer*.so >/dev/null 2>&1 || { echo "skip: the Python package was not built"; exit 77; }
PYTHONPATH=$build/python exec "$python" tests/players.py "$@"
