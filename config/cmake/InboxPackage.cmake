# Installs the package file that find_package(inbox COMPONENTS ...) reads.
function(inbox_install_package)
  include(CMakePackageConfigHelpers)
  get_property(INBOX_COMPONENTS GLOBAL PROPERTY INBOX_COMPONENTS)
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/config/cmake/inbox-config.cmake.in"
    "${PROJECT_BINARY_DIR}/inbox-config.cmake"
    INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/inbox"
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/inbox-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/inbox-config.cmake"
    "${PROJECT_BINARY_DIR}/inbox-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/config/cmake/FindCAF.cmake"
    "${PROJECT_SOURCE_DIR}/config/cmake/FindPqxx.cmake"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/inbox")
endfunction()
