# For toolchain files: compile with `zig cc`, clang with the headers and libraries of many systems (PyPI's ziglang, which
# scripts/setup --wheels installs into .venv; another one by the environment's SIXER_ZIG). The file that includes this one
# sets ZIG_TARGET, such as x86_64-linux-gnu.2.17, CMAKE_SYSTEM_PROCESSOR and ZIG_LIBRARIES, the folder of the libraries
# (scripts/libraries).
set(CMAKE_SYSTEM_NAME Linux)
set(zig "$ENV{SIXER_ZIG}")
if(NOT zig)
  file(GLOB zig ${CMAKE_CURRENT_LIST_DIR}/../.venv/lib/python3*/site-packages/ziglang/zig)
endif()
if(NOT zig)
  message(FATAL_ERROR "zig was not found in .venv (scripts/setup --wheels installs it; or set SIXER_ZIG)")
endif()
# CMake wants programs without arguments
foreach(tool cc ar ranlib)
  set(wrapper ${CMAKE_BINARY_DIR}/zig-${tool})
  set(arguments ${tool})
  if(tool STREQUAL cc)
    set(arguments "cc -target ${ZIG_TARGET}")
  endif()
  file(WRITE ${wrapper} "#!/bin/sh\nexec '${zig}' ${arguments} \"$@\"\n")
  file(CHMOD ${wrapper} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${CMAKE_BINARY_DIR}/zig-cc)
set(CMAKE_AR ${CMAKE_BINARY_DIR}/zig-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/zig-ranlib CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH ${ZIG_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# zig turns undefined behavior into traps in builds that it takes for debug ones
# compat/ has headers in front of those of old versions of glibc
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -ffunction-sections -fdata-sections -I${CMAKE_CURRENT_LIST_DIR}/compat")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s -Wl,--gc-sections")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s -Wl,--gc-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,--gc-sections")
# zig's runtime has no __cpu_model, which __builtin_cpu_supports() reads; gcc's has
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  execute_process(COMMAND gcc -print-libgcc-file-name OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CMAKE_C_STANDARD_LIBRARIES "${libgcc}" CACHE STRING "")
endif()
