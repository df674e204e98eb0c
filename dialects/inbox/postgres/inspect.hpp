#pragma once

#include "inbox/driver.hpp"
#include "inbox/sql/inspect.hpp"

namespace inbox::postgres {

/// How Postgres tells the state of a queue's rows.
/// @param speaks and `s` outlive the answer.
sql::inspection inspect(const inbox::dialect& speaks, const subscription& s);

/// A table's columns as the server has them, in its order.
/// @returns `errc::schema` when there is no such table.
expected<std::vector<table_column>> read_columns(connection& from,
                                                 const inbox::dialect& speaks,
                                                 const table_name& of);

} // namespace inbox::postgres
