#!/usr/bin/env bash
# label: whole, 120 s
# The translator to WebAssembly: test_encoder and test_programs, compiled with Emscripten and run in Node. The games are
# compared by test_package.sh. Skips if Emscripten or Node is missing. `test_translator.sh COUNT FIRST`: so many
# programs, from number FIRST on.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in emcc node cmake ninja; do
  command -v "$tool" >/dev/null || { echo "SKIP: $tool is missing (scripts/setup --web installs it)"; exit 77; }
done
major=$(node -p 'process.versions.node.split(".")[0]')
if ((major < 18)); then echo "SKIP: Node $major is too old, 18 is needed"; exit 77; fi
export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
build=${SIXER_WEB_BUILD:-$root/build/web}
cmake -S "$root/web/package" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/wasm.cmake" >/dev/null
cmake --build "$build" -j2 --target test_encoder test_programs
node "$root/tests/web/run.mjs" "$root/web/package" "$build/test_encoder.wasm"
node "$root/tests/web/run.mjs" "$root/web/package" "$build/test_programs.wasm" "${1:-600}" "${2:-0}"
