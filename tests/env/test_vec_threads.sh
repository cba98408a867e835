#!/usr/bin/env bash
# label: whole
# Vectors under the thread sanitizer: steps of 1, 2 and 16 threads, asynchronous ones, states. Builds what it needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${SIXER_BUILD:-build/release}/thread
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DSIXER_SANITIZE=thread >/dev/null
cmake --build "$folder" --target test_vec -- --quiet
python3 tests/generate "$folder/tests/images"
TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" "$folder/tests/test_vec"
