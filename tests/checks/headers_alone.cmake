# Every header that is installed compiles alone. One that a source of its
# library includes first is compiled alone there; each of the others is
# compiled here in a unit of its own, with what a user of the library has.
function(inbox_compile_headers_alone component)
  set(library inbox_${component})
  get_target_property(folder ${library} SOURCE_DIR)
  get_target_property(sources ${library} SOURCES)
  get_target_property(headers ${library} HEADER_SET)

  set(proven "")
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    file(STRINGS "${folder}/${source}" first REGEX "^#include" LIMIT_COUNT 1)
    string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" header "${first}")
    list(APPEND proven "${header}")
  endforeach()

  set(units "")
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${folder}")
    if(header IN_LIST proven)
      continue()
    endif()
    string(REPLACE "/" "_" name "${header}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/alone/${component}/${name}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${header}\"\n")
    list(APPEND units "${unit}")
  endforeach()
  if(NOT units)
    return()
  endif()

  add_library(${library}_headers OBJECT ${units})
  set_target_properties(${library}_headers PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${library}_headers
    PRIVATE inbox::${component} inbox::warnings)
endfunction()

get_property(components GLOBAL PROPERTY INBOX_COMPONENTS)
foreach(component IN LISTS components)
  inbox_compile_headers_alone(${component})
endforeach()
