#include "inbox/any/inspect.hpp"

#ifdef INBOX_WITH_POSTGRES
#include "inbox/postgres/inspect.hpp"
#endif
#ifdef INBOX_WITH_SQLITE
#include "inbox/sqlite/inspect.hpp"
#endif

namespace inbox::any {

namespace {

tl::unexpected<failure> unknown(const dialect& speaks) {
  return refuse(errc::unknown_database, "nothing is known of how "
                                          + std::string{speaks.name()}
                                          + " tells the state of rows");
}

} // namespace

expected<sql::inspection> inspect(const dialect& speaks,
                                  [[maybe_unused]] const subscription& s) {
#ifdef INBOX_WITH_POSTGRES
  if (speaks.name() == "postgres")
    return postgres::inspect(speaks, s);
#endif
#ifdef INBOX_WITH_SQLITE
  if (speaks.name() == "sqlite")
    return sqlite::inspect(speaks, s);
#endif
  return unknown(speaks);
}

expected<std::vector<table_column>>
read_columns([[maybe_unused]] connection& from, const dialect& speaks,
             [[maybe_unused]] const table_name& of) {
#ifdef INBOX_WITH_POSTGRES
  if (speaks.name() == "postgres")
    return postgres::read_columns(from, speaks, of);
#endif
#ifdef INBOX_WITH_SQLITE
  if (speaks.name() == "sqlite")
    return sqlite::read_columns(from, of);
#endif
  return unknown(speaks);
}

} // namespace inbox::any
