#!/usr/bin/env bash
# label: whole
# clang-tidy has no findings in the C sources (.clang-tidy names the checks; scripts/tidy --help says how it runs). It
# takes minutes on a fresh machine; sources that passed before are not checked again. Skips if clang-tidy is not
# installed.
cd "$(dirname "$0")/../.." || exit 1
exec scripts/lint tidy
