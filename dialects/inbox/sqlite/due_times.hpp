#pragma once

#include "inbox/sql/conditions.hpp"
#include "inbox/sqlite/time_shape.hpp"

namespace inbox::sqlite {

// How SQLite compares and orders due times. Internal to this component.

/// `retry_after` lies at or before now.
/// @pre the table has a retry_after column; so for all below.
sql::piece is_due(const table& t, time_shape shape);

sql::piece has_no_due_time(const table& t);

/// What a claim orders by in place of the column.
std::vector<sql::piece> due_order(const table& t, time_shape shape);

/// The value is a julian day number, or a text that begins with a date and
/// that the date functions read.
sql::piece is_readable(const table& t);

} // namespace inbox::sqlite
