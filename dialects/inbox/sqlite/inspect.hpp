#pragma once

#include "inbox/driver.hpp"
#include "inbox/sql/inspect.hpp"

namespace inbox::sqlite {

/// How SQLite tells the state of a queue's rows: by its date functions, and so
/// right for every form of time they read.
/// @param speaks and `s` outlive the answer.
sql::inspection inspect(const inbox::dialect& speaks, const subscription& s);

/// A table's columns as they are declared, in their order. The types are the
/// affinities: a time is declared as text or not at all.
/// @returns `errc::schema` when there is no such table.
expected<std::vector<table_column>> read_columns(connection& from,
                                                 const table_name& of);

} // namespace inbox::sqlite
