# The run store is a SQLite file; the numbered migrations that make its tables are compiled into the library.
file(GLOB SIXER_MIGRATIONS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src/lab/migrations/*.sql)
list(SORT SIXER_MIGRATIONS)
list(TRANSFORM SIXER_MIGRATIONS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE migration_paths)
set(lab_source ${PROJECT_BINARY_DIR}/generated/embedded_lab.c)
add_custom_command(
  OUTPUT ${lab_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${lab_source} -DSYMBOL=embedded_lab -DROOT=${PROJECT_SOURCE_DIR}
          "-DFILES=${SIXER_MIGRATIONS}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${migration_paths} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  COMMENT "Embedding the schema of the run store"
  VERBATIM)
target_sources(sixer_objects PRIVATE ${lab_source})
target_link_libraries(sixer_objects PUBLIC SQLite::SQLite3)
