# Toolchain file: 64-bit ARM Linux with musl. For wheels (scripts/wheels).
set(ZIG_NAME musllinux-aarch64)
set(ZIG_TARGET aarch64-linux-musl)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
