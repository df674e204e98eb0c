# Which components are built. AUTO builds one when its library is there and
# leaves it out with a message when not; ON insists on it, OFF leaves it out.
set(INBOX_ACTORS AUTO CACHE STRING "The running system, over CAF")
set(INBOX_POSTGRES AUTO CACHE STRING "Postgres, over libpqxx")
set(INBOX_SQLITE AUTO CACHE STRING "SQLite, over SQLiteCpp")
set_property(CACHE INBOX_ACTORS INBOX_POSTGRES INBOX_SQLITE
  PROPERTY STRINGS AUTO ON OFF)

# Settles one of the options above: ON or OFF afterwards.
macro(inbox_settle_component option component library debian)
  if(${option})
    find_package(${library} QUIET)
    if(${library}_FOUND)
      set(${option} ON)
    elseif("${${option}}" STREQUAL "AUTO")
      message(STATUS "inbox: ${library} was not found, so the component "
        "${component} is left out (on Debian, install ${debian})")
      set(${option} OFF)
    else()
      message(FATAL_ERROR "inbox: the component ${component} needs "
        "${library}, which was not found. Install it (on Debian, ${debian}) "
        "or leave the component out with -D${option}=OFF.")
    endif()
  endif()
endmacro()

# Finds what the components need, and turns off what cannot be built.
macro(inbox_find_dependencies)
  find_package(Threads REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
  find_package(tl-expected REQUIRED)
  # Header-only, so that no user of an installed inbox needs it.
  find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
  mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR)
  inbox_settle_component(INBOX_ACTORS actors CAF libcaf-dev)
  inbox_settle_component(INBOX_POSTGRES postgres Pqxx libpqxx-dev)
  inbox_settle_component(INBOX_SQLITE sqlite SQLiteCpp libsqlitecpp-dev)
  if(NOT INBOX_ACTORS AND (INBOX_APPS OR INBOX_TESTS))
    message(STATUS "inbox: without CAF there are no programs and no tests")
    set(INBOX_APPS OFF)
    set(INBOX_TESTS OFF)
  endif()
endmacro()
