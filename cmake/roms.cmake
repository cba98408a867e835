# Our own games: the images of roms/ are compiled into the library, so that it can play at once.
file(GLOB SIXER_OWN_ROMS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/roms/*.bin)
list(TRANSFORM SIXER_OWN_ROMS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE own_rom_paths)
set(own_roms_source ${PROJECT_BINARY_DIR}/generated/embedded_roms.c)
add_custom_command(
  OUTPUT ${own_roms_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${own_roms_source} -DSYMBOL=embedded_roms -DROOT=${PROJECT_SOURCE_DIR}
          "-DFILES=${SIXER_OWN_ROMS}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${own_rom_paths} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  COMMENT "Embedding our own games"
  VERBATIM)
target_sources(sixer_objects PRIVATE ${own_roms_source})
