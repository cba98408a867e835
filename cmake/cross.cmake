# For toolchain files that set CMAKE_SYSTEM_PROCESSOR: build for Linux on another processor with Debian's cross compiler and
# run the programs by qemu-user. The libraries are built from source into build/libraries/PROCESSOR (scripts/libraries);
# scripts/setup --PROCESSOR does all of it.
set(CMAKE_SYSTEM_NAME Linux)
set(triple ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/libraries/${CMAKE_SYSTEM_PROCESSOR})
set(ROOTS /usr/${triple})
include(${CMAKE_CURRENT_LIST_DIR}/search.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR};-L;/usr/${triple})
