# Toolchain file: build for WebAssembly with Debian's Emscripten; scripts/setup --web installs it, scripts/web uses it.
# Only its compiler, linker and C library are used: the glue to JavaScript is our own (web/package/src).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER emcc)
set(CMAKE_AR emar)
set(CMAKE_RANLIB emranlib)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
