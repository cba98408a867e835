#!/usr/bin/env bash
# label: long
# The installed library serves programs outside the tree, that of the README among them: through pkg-config and as a
# CMake package, shared and static. Program, manual, completions and data are where they belong; the archive by CPack
# works wherever it is unpacked.
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
# the README's program: the first block of C
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/{/^```/d;p}' README.md >"$work/readme.c"
grep -q 'int main' "$work/readme.c" || { echo "README.md has no program in C"; exit 1; }
readme() { "$2" || { echo "$1: the README's program ends with status $?"; exit 1; }; }
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
cc $flags "$work/readme.c" -o "$work/readme_shared" $(pkg-config --cflags --libs sixer)
LD_LIBRARY_PATH=$libraries readme "pkg-config, shared" "$work/readme_shared"
for program in tiny readme; do
  # shellcheck disable=SC2046,SC2086
  cc $flags "$work/$program.c" -o "$work/${program}_static" $(pkg-config --cflags sixer) "$libraries/libsixer.a" \
    $(pkg-config --static --libs-only-l sixer | sed 's/-lsixer//')
done
expect "pkg-config, static" "$("$work/tiny_static" "$rom")"
readme "pkg-config, static" "$work/readme_static"

mkdir "$work/outside"
mv "$work/tiny.c" "$work/readme.c" "$work/outside/"
cat >"$work/outside/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(outside C)
find_package(sixer REQUIRED)
foreach(program tiny readme)
  add_executable(${program} ${program}.c)
  target_link_libraries(${program} PRIVATE sixer::sixer)
  add_executable(${program}_static ${program}.c)
  target_link_libraries(${program}_static PRIVATE sixer::sixer_static)
endforeach()
CMAKE
cmake -S "$work/outside" -B "$work/outside/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/outside/build" -- --quiet
expect "CMake package, shared" "$("$work/outside/build/tiny" "$rom")"
expect "CMake package, static" "$("$work/outside/build/tiny_static" "$rom")"
readme "CMake package, shared" "$work/outside/build/readme"
readme "CMake package, static" "$work/outside/build/readme_static"
echo "the README's program: builds and runs four ways"

"$work/prefix/bin/sixer" --version
for file in bin/sixer include/sixer/sixer.h include/sixer/vec.h share/man/man1/sixer.1 \
  share/bash-completion/completions/sixer \
  share/zsh/site-functions/_sixer share/sixer/protocols/saber.toml share/doc/sixer/README.md share/doc/sixer/LICENSE; do
  [ -s "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
if command -v man >/dev/null; then
  MANPATH=$work/prefix/share/man man sixer | grep -q baselines || { echo "man sixer does not show the manual"; exit 1; }
  echo "man sixer: found"
fi
# shellcheck disable=SC1091
complete=$(PATH=$work/prefix/bin:$PATH bash -c '. "$1"; complete -p sixer' _ \
  "$work/prefix/share/bash-completion/completions/sixer")
echo "completion: $complete"

# a packager's build, without our presets, does not fail because a new compiler has new warnings
cmake -S . -B "$work/packager" -G Ninja -DSIXER_BUILD_TESTS=OFF >/dev/null
if grep -q -e -Werror "$work/packager/build.ninja"; then echo "-Werror without a preset"; exit 1; fi
grep -q -e -Werror "$build/build.ninja" || { echo "no -Werror in the build of a preset"; exit 1; }

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
cmake -S "$work/outside" -B "$work/outside/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/outside/build" -- --quiet
expect "archive, CMake package" "$("$work/outside/build/tiny" "$rom")"
