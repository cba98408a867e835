# label: long, 45 s
# The Python tests with the extension built with the address and undefined-behavior sanitizers: nothing is reported.
# Python itself is not built with them, so their runtime is loaded first and leaks, of which CPython has many at its
# end, are not looked for.
set -euo pipefail
build=build/sanitize
ls $build/python/sixer/_sixer*.so >/dev/null 2>&1 || {
  echo "skip: there is no $build/python (scripts/test builds it)"
  exit 77
}
runtime=$(gcc -print-file-name=libasan.so)
[ -e "$runtime" ] || { echo "skip: gcc has no libasan.so"; exit 77; }
undefined=$(gcc -print-file-name=libubsan.so)
export SIXER_BUILD=$build LD_PRELOAD="$runtime $undefined"
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1
exec bash "$(dirname "$0")/run.sh" tests/python/test_own.py tests/python/test_states.py tests/python/test_eval.py \
  "tests/python/test_interface.py::test_buffers" "tests/python/test_interface.py::test_fatal_cases_are_exceptions" \
  "tests/python/test_interface.py::test_calls_return_or_raise_the_same" \
  "tests/python/test_env.py::test_options" "tests/python/test_vector_env.py::test_masks" \
  -k "not memory and not program and not protocols and not published and not rliable and not scipy"
