# A folder is a layer. Fails on an include that the table at the end
# does not allow: which of our segments and which foreign headers a folder may
# use. Run with -DSOURCE=<root of the sources>.

cmake_minimum_required(VERSION 3.25)

set(std_header "^[a-z_0-9]+$")
set(core_foreign "${std_header}|^nlohmann/json|^tl/expected|^boost/pfr")
set(posix "^(sys|linux|netinet|arpa)/|^(unistd|fcntl|poll|pthread|signal|spawn|time|errno|dlfcn|stdlib)\\.h$")

# layer(folder; our segments beside the layer's own; foreign headers)
set(failures "")
function(layer folder ours foreign)
  file(GLOB_RECURSE files "${SOURCE}/${folder}/*.hpp" "${SOURCE}/${folder}/*.cpp")
  if(NOT files AND NOT ARGN STREQUAL "optional")
    message(FATAL_ERROR "${folder} has no sources; does the layer still exist?")
  endif()
  foreach(file IN LISTS files)
    file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include")
    if(NOT file MATCHES "/settings" AND lines MATCHES "toml")
      list(APPEND failures "${file}: toml++ belongs to the settings")
    endif()
    foreach(line IN LISTS lines)
      string(REGEX MATCH "[<\"]([^>\"]+)[>\"]" ignored "${line}")
      set(included "${CMAKE_MATCH_1}")
      if(included MATCHES "^inbox/")
        # inbox/x.hpp is core's; inbox/layer/x.hpp is the layer's.
        string(REGEX MATCH "^inbox/([a-z_]+)/" ignored "${included}")
        set(segment "core")
        if(ignored)
          set(segment "${CMAKE_MATCH_1}")
        endif()
        if(NOT segment IN_LIST ours)
          list(APPEND failures "${file}: ${line}")
        endif()
      elseif(NOT included MATCHES "${foreign}")
        list(APPEND failures "${file}: ${line}")
      endif()
    endforeach()
  endforeach()
  set(failures "${failures}" PARENT_SCOPE)
endfunction()

# What each layer may use: of ours, and of others. The descriptions and the
# settings are folders of the core; toml++ stays within the settings.
set(core core describe settings)
layer(libinbox/inbox "${core}" "${core_foreign}|^toml\\+\\+/")
layer(dialects/inbox/sql "${core};sql" "${core_foreign}")
layer(dialects/inbox/postgres "${core};sql;postgres"
  "${core_foreign}|${posix}|^pqxx/|^libpq-fe\\.h$|^libpq/")
layer(dialects/inbox/sqlite "${core};sql;sqlite"
  "${core_foreign}|${posix}|^SQLiteCpp/|^sqlite3\\.h$")
layer(dialects/inbox/any "${core};sql;postgres;sqlite;any" "${core_foreign}"
  optional)
layer(actors/inbox/actors "${core};actors" "${core_foreign}|${posix}|^caf/")

if(failures)
  list(JOIN failures "\n  " text)
  message(FATAL_ERROR "includes against the layers:\n  ${text}")
endif()
