# The data of evaluation: protocols and published results are compiled into the library and installed as files too.
file(GLOB SIXER_EVAL_DATA CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/protocols/*.toml ${PROJECT_SOURCE_DIR}/data/published/*.csv
     ${PROJECT_SOURCE_DIR}/data/published/NOTICE)
list(TRANSFORM SIXER_EVAL_DATA PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE eval_paths)
set(eval_source ${PROJECT_BINARY_DIR}/generated/embedded_eval.c)
add_custom_command(
  OUTPUT ${eval_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${eval_source} -DSYMBOL=embedded_eval -DROOT=${PROJECT_SOURCE_DIR}
          "-DFILES=${SIXER_EVAL_DATA}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${eval_paths} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  COMMENT "Embedding protocols and published results"
  VERBATIM)
target_sources(sixer_objects PRIVATE ${eval_source})

install(DIRECTORY protocols data DESTINATION ${CMAKE_INSTALL_DATADIR}/sixer)
