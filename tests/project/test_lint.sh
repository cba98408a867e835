#!/usr/bin/env bash
# The form of the sources: clang-format, line lengths, shellcheck, ruff and mypy have no findings (scripts/lint --help).
# Skips if one of them is not installed.
cd "$(dirname "$0")/../.." || exit 1
exec scripts/lint
