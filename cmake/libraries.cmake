# The libraries, all made of the same object files:
#   sixer_shared    libsixer.so: only what the public headers declare is visible
#   sixer_static    libsixer.a: the same
#   sixer_internal  not installed: every function that is not static is visible. The tests call internal functions; the
#                   program and the Python module use those of src/util.
#
# Hidden visibility has no effect in an archive, where a user's tree_create would clash with ours. So the objects of
# libsixer.a are first linked into one (ld -r), in which hidden symbols are then made local.
#
# That is done with ELF only: on Windows and macOS libsixer.a has the objects as they are.
if(NOT CMAKE_OBJCOPY AND NOT WIN32 AND NOT APPLE)
  message(FATAL_ERROR "objcopy was not found (Debian: binutils)")
endif()
target_compile_options(sixer_objects PRIVATE -fno-lto) # objcopy cannot change the symbols of LTO objects
if(WIN32 OR APPLE)
  set(whole $<TARGET_OBJECTS:sixer_objects> $<TARGET_OBJECTS:sixer_no_redis>)
else()
  set(whole ${PROJECT_BINARY_DIR}/sixer_whole.o)
  add_custom_command(
    OUTPUT ${whole}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} $<TARGET_OBJECTS:sixer_objects> $<TARGET_OBJECTS:sixer_no_redis>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
    DEPENDS sixer_objects sixer_no_redis $<TARGET_OBJECTS:sixer_objects> $<TARGET_OBJECTS:sixer_no_redis>
    COMMENT "Linking the objects of libsixer.a into one, with internal symbols local"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endif()

add_library(sixer_shared SHARED $<TARGET_OBJECTS:sixer_objects> $<TARGET_OBJECTS:sixer_no_redis>)
add_library(sixer_static STATIC ${whole})
# A DLL shows what a list names: the functions that the public headers declare.
if(WIN32)
  file(GLOB public_headers CONFIGURE_DEPENDS include/sixer/*.h)
  set(exports "EXPORTS\n")
  foreach(header ${public_headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "SIXER_API[^;()]*\\(" declarations "${text}")
    foreach(declaration ${declarations})
      string(REGEX MATCH "(sixer_[a-z0-9_]+)\\($" found "${declaration}")
      if(found)
        string(APPEND exports "  ${CMAKE_MATCH_1}\n")
      endif()
    endforeach()
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/sixer.def CONTENT "${exports}")
  set_source_files_properties(${PROJECT_BINARY_DIR}/sixer.def PROPERTIES GENERATED ON)
  target_sources(sixer_shared PRIVATE ${PROJECT_BINARY_DIR}/sixer.def)
endif()
add_library(sixer_internal STATIC $<TARGET_OBJECTS:sixer_objects> $<TARGET_OBJECTS:sixer_redis>)
add_library(sixer::sixer ALIAS sixer_shared)
add_library(sixer::sixer_static ALIAS sixer_static)
# below 1.0 a minor version may change the API, so it is part of the name that programs are linked with
set_target_properties(sixer_shared PROPERTIES OUTPUT_NAME sixer EXPORT_NAME sixer VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(sixer_static PROPERTIES OUTPUT_NAME sixer LINKER_LANGUAGE C)
foreach(lib sixer_shared sixer_static sixer_internal)
  target_include_directories(${lib} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${lib} PRIVATE SQLite::SQLite3 ZLIB::ZLIB PNG::PNG Threads::Threads ${SIXER_SYSTEM_LIBRARIES})
endforeach()
# the program and the tests include their headers, which builds for other machines have in a folder of their own
target_link_libraries(sixer_internal PUBLIC ZLIB::ZLIB)
target_link_libraries(sixer_internal PRIVATE ${SIXER_REDIS_LIBRARIES})
