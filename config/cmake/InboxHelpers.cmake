# What every folder's CMakeLists.txt uses. No globbing: each names its files.

# Interface target with the warnings and sanitizers of this build; linked
# PRIVATE, so that it never reaches a user of the library.
add_library(inbox_warnings INTERFACE)
add_library(inbox::warnings ALIAS inbox_warnings)
target_compile_options(inbox_warnings INTERFACE -Wall -Wextra -Wpedantic
  $<$<BOOL:${INBOX_WERROR}>:-Werror>)

# GCC 12 sees overlapping copies in "text" + std::string where there are none
# (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(inbox_warnings INTERFACE -Wno-restrict)
endif()

if(INBOX_SANITIZE)
  add_compile_options(-fsanitize=${INBOX_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INBOX_SANITIZE})
endif()

if(INBOX_FAULTS)
  add_compile_definitions(INBOX_FAULTS)
endif()

# inbox_library(NAME SOURCES ... HEADERS ... PUBLIC ... PRIVATE ...)
# Declares inbox_NAME with its alias inbox::NAME. Headers lie beside their
# sources and install unchanged.
function(inbox_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target inbox_${name})
  add_library(${target} ${ARG_SOURCES})
  add_library(inbox::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:inbox::warnings> ${ARG_PRIVATE})
  install(TARGETS ${target} EXPORT inbox-${name}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT inbox-${name} NAMESPACE inbox::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/inbox)
  set_property(GLOBAL APPEND PROPERTY INBOX_COMPONENTS ${name})
endfunction()

# inbox_program(NAME SOURCES ... LINK ...): an executable of this project.
function(inbox_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} inbox::warnings)
endfunction()

# Finds what the components need; drops the ones that cannot be built.
macro(inbox_find_dependencies)
  find_package(Threads REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
  find_package(tl-expected REQUIRED)
  # Header-only, so that no user of an installed inbox needs it.
  find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
  mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR)
  if(INBOX_ACTORS)
    find_package(CAF)
    if(NOT CAF_FOUND)
      message(STATUS "inbox: CAF not found; the actors component is left out")
      set(INBOX_ACTORS OFF)
      set(INBOX_APPS OFF)
    endif()
  endif()
  if(INBOX_POSTGRES)
    find_package(PkgConfig QUIET)
    find_package(Pqxx)
    if(NOT Pqxx_FOUND)
      message(STATUS "inbox: libpqxx not found; the postgres component is left out")
      set(INBOX_POSTGRES OFF)
    endif()
  endif()
  if(INBOX_SQLITE)
    find_package(SQLiteCpp QUIET)
    if(NOT SQLiteCpp_FOUND)
      message(STATUS "inbox: SQLiteCpp not found; the sqlite component is left out")
      set(INBOX_SQLITE OFF)
    endif()
  endif()
endmacro()

# Installs the package file that find_package(inbox COMPONENTS ...) reads.
function(inbox_install_package)
  include(CMakePackageConfigHelpers)
  get_property(INBOX_COMPONENTS GLOBAL PROPERTY INBOX_COMPONENTS)
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/config/cmake/inbox-config.cmake.in"
    "${PROJECT_BINARY_DIR}/inbox-config.cmake"
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/inbox)
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/inbox-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/inbox-config.cmake"
    "${PROJECT_BINARY_DIR}/inbox-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/config/cmake/FindCAF.cmake"
    "${PROJECT_SOURCE_DIR}/config/cmake/FindPqxx.cmake"
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/inbox)
endfunction()
