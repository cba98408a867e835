# Toolchain file: x86-64 Linux with glibc 2.17 or newer. For wheels (scripts/wheels).
set(ZIG_NAME manylinux-x86_64)
set(ZIG_TARGET x86_64-linux-gnu.2.17)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
