# Toolchain file: macOS 11 and later on Apple's processors.
set(ZIG_NAME macos-arm64)
set(ZIG_TARGET aarch64-macos.11.0)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
