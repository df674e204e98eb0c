#pragma once

#include <string_view>

#include <sqlite3.h>

#include "inbox/error.hpp"

namespace inbox::sqlite {

/// The failure that an SQLite result code stands for.
/// @param code extended, as SQLite returns it.
/// @param message SQLite's own words, from `sqlite3_errmsg`.
failure to_failure(int code, std::string_view message);

/// The same with the connection's last message.
failure to_failure(int code, sqlite3* db);

/// True when the failure concerns the statement of one row, so that its
/// neighbours in a transaction may well succeed without it.
bool is_of_one_row(const failure& f) noexcept;

} // namespace inbox::sqlite
