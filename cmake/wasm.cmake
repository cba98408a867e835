# Toolchain file: build for WebAssembly with Debian's Emscripten; scripts/setup --web installs it, scripts/web uses it.
# Only its compiler, linker and C library are used: the glue to JavaScript is our own (web/package/src).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER emcc)
set(CMAKE_AR emar)
set(CMAKE_RANLIB emranlib)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# emcc is a script that takes longer to start than most files take to compile: call the compiler as it would.
find_program(SIXER_WASM_CLANG NAMES clang-14 clang)
execute_process(COMMAND emcc --cflags OUTPUT_VARIABLE SIXER_WASM_FLAGS OUTPUT_STRIP_TRAILING_WHITESPACE)
if(SIXER_WASM_CLANG AND SIXER_WASM_FLAGS MATCHES "wasm32")
  set(CMAKE_C_COMPILE_OBJECT
      "${SIXER_WASM_CLANG} ${SIXER_WASM_FLAGS} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
endif()
