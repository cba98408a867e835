# What `cmake --install` puts where: program, libraries, headers, pkg-config file and CMake package.
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

configure_file(cmake/sixer.pc.in ${PROJECT_BINARY_DIR}/sixer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sixer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
