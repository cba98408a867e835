# For toolchain files: compile with `zig cc`, clang with the headers and libraries of many systems (PyPI's ziglang, which
# scripts/setup --wheels or --macos installs into .venv; another one by the environment's SIXER_ZIG). The file that
# includes this one sets CMAKE_SYSTEM_NAME, CMAKE_SYSTEM_PROCESSOR, ZIG_TARGET, such as x86_64-linux-gnu.2.17, and
# ZIG_NAME, its own name: scripts/libraries fills build/libraries/ZIG_NAME.
set(zig "$ENV{SIXER_ZIG}")
if(NOT zig)
  file(GLOB zig ${CMAKE_CURRENT_LIST_DIR}/../.venv/lib/python3*/site-packages/ziglang/zig)
endif()
if(NOT zig)
  message(FATAL_ERROR "zig was not found in .venv (scripts/setup --wheels installs it; or set SIXER_ZIG)")
endif()
# CMake wants programs without arguments. They are in one folder for all builds of a target, and are written only if they
# change, so that a compiler cache knows them again.
set(tools ${CMAKE_CURRENT_LIST_DIR}/../build/zig/${ZIG_NAME})
foreach(tool cc ar ranlib)
  set(arguments ${tool})
  if(tool STREQUAL cc)
    set(arguments "cc -target ${ZIG_TARGET}")
  endif()
  file(CONFIGURE OUTPUT ${tools}/${tool} CONTENT "#!/bin/sh\nexec '${zig}' ${arguments} \"$@\"\n")
  file(CHMOD ${tools}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${tools}/cc)
set(CMAKE_AR ${tools}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${tools}/ranlib CACHE FILEPATH "")
set(LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/libraries/${ZIG_NAME})
include(${CMAKE_CURRENT_LIST_DIR}/search.cmake)
# zig turns undefined behavior into traps in builds that it takes for debug ones
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -ffunction-sections -fdata-sections")
if(CMAKE_SYSTEM_NAME STREQUAL Darwin)
  set(CMAKE_INSTALL_NAME_TOOL true CACHE FILEPATH "") # nothing is renamed
  set(CMAKE_SKIP_RPATH ON)
  set(CMAKE_OSX_SYSROOT "" CACHE PATH "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "") # a part of zig's target
else()
  # compat/ has headers in front of those of old versions of glibc
  string(APPEND CMAKE_C_FLAGS_INIT " -I${CMAKE_CURRENT_LIST_DIR}/compat")
  foreach(kind SHARED MODULE EXE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-s -Wl,--gc-sections")
  endforeach()
endif()
