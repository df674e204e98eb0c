#pragma once

#include <sqlite3.h>

#include "inbox/value.hpp"

namespace inbox::sqlite {

/// Gives the `n`-th placeholder of `s`, counted from 1, its value; a time as
/// text. Octets of more than a few hundred bytes are not copied: they live
/// until the statement is reset.
/// @returns SQLite's code.
int bind_value(sqlite3_stmt* s, int n, const value_view& v);

/// A value of the row under way; its octets live until the next step or reset.
value_view value_at(sqlite3_stmt* s, int column) noexcept;

} // namespace inbox::sqlite
