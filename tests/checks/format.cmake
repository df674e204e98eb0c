# Every source has the layout of .clang-format. Run with -DSOURCE=<root of the
# sources> and -DCLANG_FORMAT=<the program>.

cmake_minimum_required(VERSION 3.25)

set(files "")
foreach(folder IN ITEMS libinbox dialects actors apps tests)
  file(GLOB_RECURSE found RELATIVE "${SOURCE}"
    "${SOURCE}/${folder}/*.hpp" "${SOURCE}/${folder}/*.cpp")
  list(APPEND files ${found})
endforeach()

execute_process(COMMAND "${CLANG_FORMAT}" --dry-run --Werror ${files}
  WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE code ERROR_VARIABLE said)
if(code)
  string(REGEX MATCHALL "[^\n]+: error: code should be" places "${said}")
  list(TRANSFORM places REPLACE ":.*" "")
  list(REMOVE_DUPLICATES places)
  list(JOIN places "\n  " names)
  if(NOT names)
    set(names "${said}") # It did not run.
  endif()
  message(FATAL_ERROR "clang-format -i lays these out another way:\n  ${names}")
endif()
