#!/usr/bin/env bash
# label: whole
# Everything that uses threads, under the thread sanitizer: vectors, asynchronous calls, planners with several jobs,
# learners with several threads, vectors that learn. Thousands of steps; builds what it needs.
#
#   tests/project/test_thread_sanitizer.sh [STEPS]     of each vector [3000]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${SIXER_BUILD:-build/release}/thread
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DSIXER_SANITIZE=thread >/dev/null
cmake --build "$folder" --target test_threads test_vec test_pqn -- --quiet
python3 tests/generate "$folder/tests/images"
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1"
"$folder/tests/test_threads" "${1:-3000}"
"$folder/tests/test_vec"
"$folder/tests/test_pqn"
