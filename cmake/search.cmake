# For toolchain files: libraries and headers are looked for in the folder LIBRARIES (scripts/libraries fills it) and in
# those of ROOTS, never among those of this machine; programs are this machine's.
set(CMAKE_FIND_ROOT_PATH ${LIBRARIES} ${ROOTS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
