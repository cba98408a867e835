#!/usr/bin/env bash
# label: whole, 600 s
# The npm package: built, its tests run in Node against the native program, its types checked on right and wrong
# programs. Skips if Emscripten, Node or TypeScript is missing. SIXER_WEB_PACKAGE names a package that is built already.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${SIXER_BUILD:-$root/build/release}

for tool in node npm tsc; do
  command -v "$tool" >/dev/null || { echo "SKIP: $tool is missing (scripts/setup --web installs it)"; exit 77; }
done
major=$(node -p 'process.versions.node.split(".")[0]')
if ((major < 18)); then echo "SKIP: Node $major is too old, 18 is needed"; exit 77; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

package=${SIXER_WEB_PACKAGE-}
if [ -z "$package" ]; then
  command -v emcc >/dev/null || { echo "SKIP: emcc is missing (scripts/setup --web installs it)"; exit 77; }
  "$root/scripts/web"
  package=${SIXER_WEB_BUILD:-$root/build/web}/package
fi
package=$(cd "$package" && pwd)

# an installed ale_py has the images of the games
roms=
for folder in "$root"/.venv/lib/python3*/site-packages/ale_py/roms; do
  if [ -d "$folder" ]; then roms=$folder; fi
done
[ -n "$roms" ] || echo "no images of ale_py: its games are left out"

PACKAGE=$package SIXER=$build/sixer ROMS=$roms WORK=$work node --expose-gc "$root/tests/web/package.mjs"

# Chromium, driven by a library that scripts/web installs
if command -v chromium >/dev/null && [ -d "$root/build/web/tools/node_modules/playwright-core" ]; then
  node "$root/tests/web/chromium.mjs" "$package" "$build/sixer"
else
  echo "no Chromium, or no playwright-core in build/web/tools: left out"
fi

# types
mkdir -p "$work/types/node_modules"
ln -s "$package" "$work/types/node_modules/sixer"
cp "$root"/tests/web/types_*.ts "$work/types"
echo '{ "type": "module" }' >"$work/types/package.json"
options=(--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --lib "es2022,dom")
(cd "$work/types" && tsc "${options[@]}" types_good.ts types_bad.ts)
# the check itself can fail: a wrong program without the remark is an error
grep -v '@ts-expect-error' "$work/types/types_bad.ts" >"$work/types/types_wrong.ts"
if (cd "$work/types" && tsc "${options[@]}" types_wrong.ts >/dev/null); then
  echo "tsc found nothing wrong in types_wrong.ts"
  exit 1
fi
echo "types: right programs compile, wrong ones do not"
