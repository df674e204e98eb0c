#include "inbox/sqlite/errors.hpp"

#include <string>

namespace inbox::sqlite {

namespace {

/// SQLite has one code for every mistake in a text; its message tells a
/// missing table or column from the rest.
bool names_schema(std::string_view message) {
  return message.starts_with("no such table")
         || message.starts_with("no such column")
         || message.find("has no column named") != std::string_view::npos;
}

errc classify(int code, std::string_view message) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return errc::busy;
    case SQLITE_FULL: return errc::full;
    case SQLITE_READONLY: return errc::read_only;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH: return errc::constraint;
    case SQLITE_TOOBIG: return errc::too_large;
    case SQLITE_INTERRUPT:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL: return errc::connection_lost;
    default: return names_schema(message) ? errc::schema : errc::statement;
  }
}

std::string_view advice(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another connection holds the database's lock, find out which "
             "or allow a longer busy time-out";
    case SQLITE_FULL:
      return "; make room on its disk or raise its max_page_count";
    case SQLITE_READONLY:
      return "; the file and its folder must be writable by this user";
    case SQLITE_CORRUPT:
      return "; run PRAGMA integrity_check and restore a backup";
    case SQLITE_NOTADB: return "; name a database file that SQLite has written";
    case SQLITE_CANTOPEN:
      return "; the file and its folder must exist and be writable";
    case SQLITE_IOERR: return "; look at the disk that holds the file";
    default: return {};
  }
}

} // namespace

failure to_failure(int code, std::string_view message) {
  std::string text{message};
  text += advice(code);
  return failure{classify(code, message), std::move(text)}.with_native(
    "SQLite " + std::to_string(code));
}

failure to_failure(int code, sqlite3* db) {
  if (db == nullptr)
    return to_failure(code, sqlite3_errstr(code));
  std::string text = sqlite3_errmsg(db);
  if ((code & 0xff) == SQLITE_TOOBIG)
    text += "; a row takes "
            + std::to_string(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1))
            + " bytes at most, store the value elsewhere and its place here";
  return to_failure(code, text);
}

bool is_of_one_row(const failure& f) noexcept {
  switch (f.code()) {
    case errc::statement:
    case errc::constraint:
    case errc::too_large:
    case errc::full:
    case errc::schema: return true;
    default: return false;
  }
}

} // namespace inbox::sqlite
