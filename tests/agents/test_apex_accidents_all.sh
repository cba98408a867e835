#!/usr/bin/env bash
# Twenty accidents of sixer apex, and leases that run out: test_apex_accidents at length.
# label: whole
set -euo pipefail
exec python3 "$(dirname "$0")/test_apex_accidents.py" 20 "${SIXER_SEED:-$RANDOM}"
