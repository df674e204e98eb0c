#pragma once

#include "inbox/driver.hpp"
#include "inbox/sql/inspect.hpp"

namespace inbox::any {

/// How the database tells the state of a queue's rows.
/// @param speaks and `s` outlive the answer.
/// @returns `errc::unknown_database` for a dialect of somebody else's.
expected<sql::inspection> inspect(const dialect& speaks, const subscription& s);

/// A table's columns as the database has them, in its order.
/// @returns `errc::schema` when there is no such table.
expected<std::vector<table_column>>
read_columns(connection& from, const dialect& speaks, const table_name& of);

} // namespace inbox::any
