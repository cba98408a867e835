# What `cmake --install` puts where: program, libraries, headers, pkg-config file and CMake package, manual, completions.
include(CMakePackageConfigHelpers)

install(TARGETS sixer_shared sixer_static EXPORT sixer_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sixer_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/sixer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sixer_targets NAMESPACE sixer:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sixer)

configure_package_config_file(cmake/sixer-config.cmake.in ${PROJECT_BINARY_DIR}/sixer-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sixer)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sixer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sixer-config.cmake ${PROJECT_BINARY_DIR}/sixer-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sixer)

# the way up from the pkg-config file, which is longer where libraries are in lib/x86_64-linux-gnu
file(RELATIVE_PATH SIXER_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/sixer.pc.in ${PROJECT_BINARY_DIR}/sixer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sixer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The manual page and the completions are written by the program itself, from the tables it parses by; a build for another
# machine goes without.
if(NOT CMAKE_CROSSCOMPILING)
  foreach(form man bash zsh)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/help/sixer.${form}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/help
                       COMMAND sixer_program help ${form} > ${PROJECT_BINARY_DIR}/help/sixer.${form}
                       DEPENDS sixer_program VERBATIM)
    list(APPEND SIXER_HELP ${PROJECT_BINARY_DIR}/help/sixer.${form})
  endforeach()
  add_custom_target(sixer_help ALL DEPENDS ${SIXER_HELP})
  install(FILES ${PROJECT_BINARY_DIR}/help/sixer.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          RENAME sixer.1)
  install(FILES ${PROJECT_BINARY_DIR}/help/sixer.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sixer)
  install(FILES ${PROJECT_BINARY_DIR}/help/sixer.zsh
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _sixer)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# `cpack` in a build folder makes an archive that runs wherever it is unpacked.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME sixer)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
