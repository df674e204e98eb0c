# Installs the build below BUILD_DIR, then configures, builds and runs the
# project in USER_DIR against it, all below WORK_DIR, whose name has spaces.
cmake_minimum_required(VERSION 3.25)

set(prefix "${WORK_DIR}/prefix")
file(REMOVE_RECURSE "${WORK_DIR}")

# Runs one step; ends the test with its output unless it exits with 0.
function(must what)
  message(STATUS "${what}")
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${out}")
  endif()
endfunction()

# The user's project, configured in a folder of that name.
function(configure_command result folder)
  set(${result} "${CMAKE_COMMAND}" -S "${USER_DIR}" -B "${WORK_DIR}/${folder}"
    -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_BUILD_TYPE=${CONFIG}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}"
    ${ARGN} PARENT_SCOPE)
endfunction()

# Configuring must fail and say every one of the expected texts.
function(must_refuse what folder setting)
  message(STATUS "${what}")
  configure_command(command ${folder} ${setting})
  execute_process(COMMAND ${command}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(code EQUAL 0)
    message(FATAL_ERROR "${what}: it was accepted:\n${out}")
  endif()
  # CMake breaks its lines where it likes.
  string(REGEX REPLACE "[ \n]+" " " out "${out}")
  foreach(text IN LISTS ARGN)
    string(FIND "${out}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${what}: \"${text}\" is missing in:\n${out}")
    endif()
  endforeach()
endfunction()

must("installing" "${CMAKE_COMMAND}" --install "${BUILD_DIR}"
  --prefix "${prefix}" --config "${CONFIG}")

configure_command(configure build)
must("configuring the user's project" ${configure})
must("building the user's project"
  "${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --config "${CONFIG}")
must("running the user's program"
  "${WORK_DIR}/build/user" "${WORK_DIR}/rows.sqlite")

must_refuse("a component that is not installed is refused" mysql
  -DCOMPONENTS=mysql
  "inbox was installed without the component \"mysql\""
  "(installed: core, sql," "leave it out of COMPONENTS")
must_refuse("a component whose library is not found is refused" no_caf
  "-DCMAKE_DISABLE_FIND_PACKAGE_CAF=ON"
  "inbox's component \"actors\" needs CAF, which was not found"
  "libcaf-dev")
must_refuse("another minor version is refused" version
  -DWANTED=0.2 "compatible with requested version \"0.2\"")

file(REMOVE_RECURSE "${WORK_DIR}")
