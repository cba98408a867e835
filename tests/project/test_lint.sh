#!/usr/bin/env bash
# The form of the sources, as far as it is checked by scripts/lint: ruff and mypy have no findings in the Python files.
# Skips if they are not installed.
cd "$(dirname "$0")/../.." || exit 1
exec scripts/lint python types
