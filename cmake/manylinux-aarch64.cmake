# Toolchain file: 64-bit ARM Linux with glibc 2.17 or newer. For wheels (scripts/wheels).
set(ZIG_NAME manylinux-aarch64)
set(ZIG_TARGET aarch64-linux-gnu.2.17)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
