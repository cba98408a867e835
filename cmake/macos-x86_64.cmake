# Toolchain file: macOS 10.13 and later on Intel's processors.
set(ZIG_NAME macos-x86_64)
set(ZIG_TARGET x86_64-macos.10.13)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
