# Finds libpqxx and the libpq under it and defines Pqxx::pqxx.
include(FindPackageHandleStandardArgs)

find_path(PQXX_INCLUDE_DIR pqxx/pqxx)
find_library(PQXX_LIBRARY pqxx)
find_path(PQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_library(PQ_LIBRARY pq)

find_package_handle_standard_args(Pqxx
  REQUIRED_VARS PQXX_LIBRARY PQXX_INCLUDE_DIR PQ_LIBRARY PQ_INCLUDE_DIR)

if(Pqxx_FOUND AND NOT TARGET Pqxx::pqxx)
  add_library(Pqxx::pqxx UNKNOWN IMPORTED)
  set_target_properties(Pqxx::pqxx PROPERTIES
    IMPORTED_LOCATION "${PQXX_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${PQXX_INCLUDE_DIR};${PQ_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${PQ_LIBRARY}")
endif()
