# Toolchain file: build for Windows x64 with Debian's mingw-w64 (threads of POSIX) and run the programs by Wine. The
# libraries are built from Debian's sources into build/libraries/windows (scripts/windows-libraries);
# scripts/setup --windows installs all of it.
#
# For the Python extension, name what the compiler needs of CPython (docs/platforms.md):
#   SIXER_PYTHON_INCLUDE   folders of Python.h and of pyconfig.h for Windows
#   SIXER_PYTHON_LIBRARY   an import library of python3.dll
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(SIXER_WINDOWS_LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/libraries/windows CACHE PATH
    "Where scripts/windows-libraries has put zlib, libpng, SQLite and SDL2")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIXER_WINDOWS_LIBRARIES)
set(LIBRARIES ${SIXER_WINDOWS_LIBRARIES})
set(ROOTS /usr/x86_64-w64-mingw32)
include(${CMAKE_CURRENT_LIST_DIR}/search.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
# printf() by the rules of C99, 64-bit offsets, Windows 10 and later; nothing but Windows' own libraries is needed to run
set(CMAKE_C_FLAGS_INIT "-D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-static")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
