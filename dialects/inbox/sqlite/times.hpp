#pragma once

#include <optional>

#include "inbox/time.hpp"
#include "inbox/value.hpp"

namespace inbox::sqlite {

/// True when text comparison puts the value where its instant lies: NULL, and
/// the forms SQLite itself writes, in UTC with a space after the date.
bool is_plain_time(const value_view& v);

/// The instant a column's value stands for, as SQLite's date functions see
/// it: text in their forms, or a number that is a Julian day.
/// @returns nothing when it is none.
std::optional<time_point> read_time(const value_view& v);

} // namespace inbox::sqlite
