#!/usr/bin/env bash
# label: whole
# The page in Debian's Chromium, opened from the disk: every control is used once by mouse and by keys, a tape made by
# clicks is replayed by the native program and the other way round, good and bad files are dropped, the engine is
# killed.
# Needs what scripts/setup --web installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in node chromium emcc; do
  command -v $tool >/dev/null || {
    echo "SKIPPED: $tool is not installed (scripts/setup --web installs it)"
    exit 77
  }
done
scripts/web
node tests/web/test_page.mjs build/web/page "${SIXER_BUILD:-build/release}/sixer"
