# Toolchain file: Linux on IBM Z (s390x), a big-endian machine.
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
