# For the toolchain files macos-arm64.cmake and macos-x86_64.cmake, which set MACOS_TARGET and MACOS_NAME: build for macOS
# with `zig cc`, clang with the headers and the stub of the system library of macOS (PyPI's ziglang, which
# scripts/setup --macos installs into .venv; another one by the environment's SIXER_ZIG). The libraries are built by
# scripts/libraries cmake/MACOS_NAME.cmake build/libraries/MACOS_NAME. Nothing of this can be run here.
set(CMAKE_SYSTEM_NAME Darwin)
set(zig "$ENV{SIXER_ZIG}")
if(NOT zig)
  file(GLOB zig ${CMAKE_CURRENT_LIST_DIR}/../.venv/lib/python3*/site-packages/ziglang/zig)
endif()
if(NOT zig)
  message(FATAL_ERROR "zig was not found in .venv (scripts/setup --macos installs it; or set SIXER_ZIG)")
endif()
# CMake wants programs without arguments; a folder of their own, since CMake also configures small projects that try
set(tools ${CMAKE_CURRENT_LIST_DIR}/../build/zig-${MACOS_NAME})
file(MAKE_DIRECTORY ${tools})
foreach(tool cc ar ranlib)
  set(arguments ${tool})
  if(tool STREQUAL cc)
    set(arguments "cc -target ${MACOS_TARGET}")
  endif()
  file(WRITE ${tools}/${tool} "#!/bin/sh\nexec '${zig}' ${arguments} \"$@\"\n")
  file(CHMOD ${tools}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${tools}/cc)
set(CMAKE_AR ${tools}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${tools}/ranlib CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL true CACHE FILEPATH "") # nothing is renamed
set(CMAKE_SKIP_RPATH ON)
set(CMAKE_OSX_SYSROOT "" CACHE PATH "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "") # a part of zig's target
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/libraries/${MACOS_NAME})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined") # which zig turns into traps
