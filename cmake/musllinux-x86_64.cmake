# Toolchain file: x86-64 Linux with musl. For wheels (scripts/wheels).
set(ZIG_NAME musllinux-x86_64)
set(ZIG_TARGET x86_64-linux-musl)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
