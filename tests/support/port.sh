# For tests of a port: build it with a preset, then compare it with this machine's build. A test sets `name`, the
# preset, `run`, the command that runs a program (nothing: directly), `tools`, what must be installed, `cores`, and
# sources this file at the project's root.
# shellcheck shell=bash disable=SC2154  # the test sets them
scripts/setup "--$name" || true
for tool in $tools; do
  command -v "$tool" >/dev/null || {
    echo "SKIPPED: $tool is not installed (scripts/setup --$name installs it)"
    exit 77
  }
done
native=${SIXER_BUILD:-build/release}
folder=$PWD/build/$name
# programs of C tests that hold on any machine: bytes, states, tapes, learners, networks
programs="test_little test_save test_vec test_vec_pack test_tape test_sections test_spans test_replay test_weights
  test_pairs test_plan test_brute test_apex test_sarsa test_nn_same test_deep_digest test_programs"
cmake --preset "$name" --log-level=WARNING >/dev/null
# shellcheck disable=SC2086  # a list
cmake --build --preset "$name" --target sixer_program $programs -- --quiet
# shellcheck disable=SC2016
printf '#!/bin/sh\nexec %s "%s/sixer" "$@"\n' "$run" "$folder" >"$folder/run-sixer"
chmod +x "$folder/run-sixer"
echo "== the same bytes as $native"
python3 tests/support/port.py --native "$native/sixer" --port "$folder/run-sixer" --cores "$cores" --work "$folder/port"
echo "== golden digests"
python3 tests/golden.py --sixer "$folder/run-sixer" --every 4 cartridges banks kernels
python3 tests/generate "$folder/tests/images"
echo "== random programs, the cores against each other"
$run "$folder/tests/test_programs" "${SIXER_PORT_PROGRAMS:-2000}"
for program in $programs; do
  case $program in
    test_programs) continue ;;
    test_sarsa | test_nn_same | test_deep_digest) filter=test_golden ;; # all of them would take an hour by emulation
    test_vec) filter=test_resize_golden ;;
    *) filter= ;;
  esac
  echo "== $program $filter"
  $run "$folder/tests/$program" ${filter:+"$filter"}
done
