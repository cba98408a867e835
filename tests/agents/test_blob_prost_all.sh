#!/usr/bin/env bash
# Blob-PROST features of 2,400 screens of games against the slow version: test_blob_prost at length.
# label: whole
set -euo pipefail
"${SIXER_BUILD:-build/release}/tests/test_blob_prost" 800
