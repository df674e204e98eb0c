# inbox_suites(NAME SOURCES ... SUITES ... LINK ... [LABELS ...] [TIMEOUT n])
# One program in CAF's test framework, one ctest entry per suite: an exception
# that leaves a test ends the program, and so only its own suite. A suite name
# that matches nothing would pass, hence the regular expression.
function(inbox_suites name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;SUITES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  inbox_program(${name} SOURCES
    $<TARGET_OBJECTS:inbox_test_main> ${ARG_SOURCES}
    LINK ${ARG_LINK} inbox::test_support CAF::core CAF::io)
  foreach(suite IN LISTS ARG_SUITES)
    add_test(NAME ${suite} COMMAND ${name} -n -v 4 -r ${ARG_TIMEOUT} -s "^${suite}$")
    set_tests_properties(${suite} PROPERTIES
      TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
      FAIL_REGULAR_EXPRESSION "suites:  0")
  endforeach()
endfunction()
