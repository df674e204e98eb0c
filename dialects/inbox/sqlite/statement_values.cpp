#include "inbox/sqlite/statement_values.hpp"

namespace inbox::sqlite {

namespace {

/// Octets up to this size are copied by SQLite, so that short values may be
/// temporaries; larger ones are read where they lie.
constexpr std::size_t copied_size = 256;

sqlite3_destructor_type lifetime(std::string_view octets) {
  return octets.size() <= copied_size ? SQLITE_TRANSIENT : SQLITE_STATIC;
}

int bind_text(sqlite3_stmt* s, int n, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  const char* at = text.data() != nullptr ? text.data() : "";
  return sqlite3_bind_text64(s, n, at, text.size(), lifetime(text),
                             SQLITE_UTF8);
}

int bind_bytes(sqlite3_stmt* s, int n, std::string_view octets) {
  const char* at = octets.data() != nullptr ? octets.data() : "";
  return sqlite3_bind_blob64(s, n, at, octets.size(), lifetime(octets));
}

std::string_view octets_at(sqlite3_stmt* s, int column, const void* at) {
  if (at == nullptr)
    return {};
  return {static_cast<const char*>(at),
          static_cast<std::size_t>(sqlite3_column_bytes(s, column))};
}

} // namespace

int bind_value(sqlite3_stmt* s, int n, const value_view& v) {
  switch (v.kind()) {
    case value_kind::null: return sqlite3_bind_null(s, n);
    case value_kind::boolean: return sqlite3_bind_int(s, n, *v.as_boolean());
    case value_kind::integer: return sqlite3_bind_int64(s, n, *v.as_integer());
    case value_kind::real: return sqlite3_bind_double(s, n, *v.as_real());
    case value_kind::time: return bind_text(s, n, to_sql_text(*v.as_time()));
    case value_kind::bytes: return bind_bytes(s, n, *v.as_octets());
    case value_kind::decimal:
    case value_kind::text:
    case value_kind::json: return bind_text(s, n, *v.as_text());
  }
  return SQLITE_MISUSE;
}

value_view value_at(sqlite3_stmt* s, int column) noexcept {
  switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
      return value_view::of(
        static_cast<std::int64_t>(sqlite3_column_int64(s, column)));
    case SQLITE_FLOAT: return value_view::of(sqlite3_column_double(s, column));
    case SQLITE_TEXT:
      return value_view::text(
        octets_at(s, column, sqlite3_column_text(s, column)));
    case SQLITE_BLOB:
      return value_view::bytes(
        octets_at(s, column, sqlite3_column_blob(s, column)));
    default: return {};
  }
}

} // namespace inbox::sqlite
