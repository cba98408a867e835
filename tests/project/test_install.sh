#!/usr/bin/env bash
# The installed library serves a program outside the tree: through pkg-config, shared and static, and as a CMake package.
# Program, manual, completions and data are where they belong; the archive by CPack works wherever it is unpacked.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${SIXER_BUILD:-build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rom=$PWD/tests/cartridges/players.bin
cmake --install "$build" --prefix "$work/prefix" >/dev/null

cat >"$work/tiny.c" <<'C'
#include <sixer/sixer.h>
#include <stdio.h>

int main(int argc, char **argv) {
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  sixer_config config = sixer_config_default();
  if (argc < 2 || sixer_rom_open(argv[1], NULL, &rom, &error)) return 1;
  if (sixer_env_create(rom, &config, &env, &error)) return 1;
  for (int i = 0; i < 10; i++) sixer_env_step(env, i, NULL);
  printf("%d rows, %lld frames\n", sixer_env_height(env), (long long)sixer_env_status(env).frames);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return 0;
}
C
expect() {
  [ "$2" = "210 rows, 10 frames" ] || { echo "$1: found '$2'"; exit 1; }
  echo "$1: $2"
}

libraries=$(dirname "$(find "$work/prefix" -name libsixer.so | head -n 1)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
# the sanitize build needs its runtime in whatever uses the library
flags=$(sed -n 's/^SIXER_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
# shellcheck disable=SC2046,SC2086
cc $flags "$work/tiny.c" -o "$work/shared" $(pkg-config --cflags --libs sixer)
expect "pkg-config, shared" "$(LD_LIBRARY_PATH=$libraries "$work/shared" "$rom")"
# shellcheck disable=SC2046,SC2086
cc $flags "$work/tiny.c" -o "$work/static" $(pkg-config --cflags sixer) "$libraries/libsixer.a" \
  $(pkg-config --static --libs-only-l sixer | sed 's/-lsixer//')
expect "pkg-config, static" "$("$work/static" "$rom")"

mkdir "$work/outside"
mv "$work/tiny.c" "$work/outside/"
cat >"$work/outside/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(outside C)
find_package(sixer REQUIRED)
add_executable(tiny tiny.c)
target_link_libraries(tiny PRIVATE sixer::sixer)
add_executable(tiny_static tiny.c)
target_link_libraries(tiny_static PRIVATE sixer::sixer_static)
CMAKE
cmake -S "$work/outside" -B "$work/outside/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/outside/build" -- --quiet
expect "CMake package, shared" "$("$work/outside/build/tiny" "$rom")"
expect "CMake package, static" "$("$work/outside/build/tiny_static" "$rom")"

"$work/prefix/bin/sixer" --version
for file in bin/sixer include/sixer/sixer.h include/sixer/vec.h share/man/man1/sixer.1 share/bash-completion/completions/sixer \
  share/zsh/site-functions/_sixer share/sixer/protocols/saber.toml share/doc/sixer/README.md share/doc/sixer/LICENSE; do
  [ -s "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
if command -v man >/dev/null; then
  MANPATH=$work/prefix/share/man man sixer | grep -q baselines || { echo "man sixer does not show the manual"; exit 1; }
  echo "man sixer: found"
fi
# shellcheck disable=SC1091
complete=$(PATH=$work/prefix/bin:$PATH bash -c '. "$1"; complete -p sixer' _ "$work/prefix/share/bash-completion/completions/sixer")
echo "completion: $complete"

# an archive, unpacked in one place and moved to another
cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$work/pack" >/dev/null
mkdir "$work/first"
tar -xzf "$work"/pack/*.tar.gz -C "$work/first" --strip-components=1
rm -rf "$work/prefix"
mv "$work/first" "$work/moved"
"$work/moved/bin/sixer" record random duskrain -o "$work/a.tape" --steps 100 --episodes 0 >/dev/null
"$work/moved/bin/sixer" replay "$work/a.tape"
libraries=$(dirname "$(find "$work/moved" -name libsixer.so | head -n 1)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046,SC2086
cc $flags "$work/outside/tiny.c" -o "$work/moved_shared" $(pkg-config --cflags --libs sixer)
expect "archive, pkg-config" "$(LD_LIBRARY_PATH=$libraries "$work/moved_shared" "$rom")"
rm -rf "$work/outside/build"
cmake -S "$work/outside" -B "$work/outside/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/outside/build" -- --quiet
expect "archive, CMake package" "$("$work/outside/build/tiny" "$rom")"
