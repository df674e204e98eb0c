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
  if(INBOX_SANITIZE)
    # A sanitizer hides from GCC's analysis what is initialized.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()
