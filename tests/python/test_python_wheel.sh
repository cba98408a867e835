# label: long, 40 s
# `pip install .` in a fresh virtual environment: one wheel for CPython 3.11 and up, which auditwheel finds sound, with
# NumPy as its only dependency; what was installed then runs. It is compiled without optimization, which takes less
# time; test_python_wheel_all.sh and scripts/release make it as users get it.
set -euo pipefail
python=${SIXER_PYTHON:-.venv/bin/python}
for module in scikit_build_core build auditwheel; do
  "$python" -c "import $module" 2>/dev/null || {
    echo "skip: $module is not installed in .venv (scripts/setup installs it)"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# a build type of our own has no flags but these: Debug would add debug information, which takes time
type=${SIXER_WHEEL_TYPE:-Quick}
if [ "$type" = Quick ]; then export CFLAGS=-O0; fi
"$python" -m build --wheel --no-isolation -C "cmake.build-type=$type" --outdir "$work/wheel" . >"$work/log" 2>&1 || {
  tail -40 "$work/log"
  exit 1
}
wheel=$(echo "$work"/wheel/*.whl)
case $wheel in
  *-cp311-abi3-*) ;;
  *) echo "not a wheel of the limited API: $wheel"; exit 1 ;;
esac
"$python" -m zipfile -l "$wheel" >"$work/files"
for file in sixer/_sixer.abi3.so sixer/py.typed sixer/bin/sixer sixer/ale/roms/__init__.py sixer/eval/__init__.py \
  sixer/share/protocols/saber.toml sixer/share/data/published/NOTICE sixer/share/data/published/games.csv; do
  grep -q "^$file " "$work/files" || { echo "the wheel lacks $file"; exit 1; }
done
if grep -E '\.bin |libstdc\+\+' "$work/files"; then echo "the wheel has what it must not have"; exit 1; fi
"$python" -m auditwheel show "$wheel" | tee "$work/audit"
if grep -q 'libstdc++' "$work/audit"; then echo "the wheel needs C++"; exit 1; fi
grep -q 'manylinux' "$work/audit" || { echo "auditwheel finds no platform for it"; exit 1; }

# Only NumPy beside it: the packages of .venv are not visible, except for the images of ale_py if there are any.
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel" || {
  echo "skip: NumPy could not be installed into a fresh environment"
  exit 77
}
cd "$work"
"$work/venv/bin/python" - <<'PY'
import importlib.util, sys
assert importlib.util.find_spec("gymnasium") is None and importlib.util.find_spec("ale_py") is None
import numpy as np, sixer, sixer.vector, sixer.ale
env = sixer.make("duskrain")
obs, info = env.reset(seed=1)
for _ in range(10):
    obs, reward, terminated, truncated, info = env.step(1)
assert obs.shape == (4, 84, 84) and info["frames"] == 40
envs = sixer.vector.make(["duskrain", "sporefall"], n=4)
envs.reset(seed=1)
assert envs.step([0, 1, 2, 3])[0].shape == (4, 4, 84, 84)
assert len(sixer.ale.roms.get_all_rom_ids()) == 108
try:
    sixer.ale.AtariEnv
except ImportError as error:
    assert "sixer[gymnasium]" in str(error)
else:
    sys.exit("AtariEnv without Gymnasium")
import sixer.eval as ev
normalized = ev.protocol("saber").normalize(ev.published("saber/rainbow").means, missing="drop")
assert round(ev.median(normalized), 4) == 0.0283
assert "CC BY-SA" in (ev.folder() / "data/published/NOTICE").read_text() and "site-packages" in str(ev.folder())
print("python", sys.version.split()[0], "sixer", sixer.__version__, sixer.__file__)
PY
"$work/venv/bin/python" -m sixer --version
"$work/venv/bin/sixer" --version
# other versions of CPython that this machine has take the same wheel
for other in python3.12 python3.13 python3.14; do
  command -v "$other" >/dev/null || continue
  "$other" -m venv "$work/$other" 2>/dev/null || continue
  "$work/$other/bin/pip" install --quiet --disable-pip-version-check "$wheel" || continue
  "$work/$other/bin/python" -c "
import sys, sixer
e = sixer.make('duskrain')
e.reset(seed=1)
e.step(1)
print(sys.version.split()[0], 'too')"
done
