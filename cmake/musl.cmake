# Toolchain file: build for x86-64 Linux with musl instead of glibc, as static programs, with Debian's musl-gcc. The libraries
# are built from source into build/libraries/musl (scripts/libraries); scripts/setup --musl does all of it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
set(LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/libraries/musl)
set(ROOTS /usr/lib/x86_64-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/search.cmake)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
