#pragma once

#include "inbox/driver.hpp"
#include "inbox/new_row.hpp"
#include "inbox/value.hpp"
#include "scenario.hpp"

namespace bench {

/// The same database with an empty table, which is filled: what is left is
/// what has not been added.
std::shared_ptr<stage> emptied(std::shared_ptr<stage> from);

using ids = std::vector<std::int64_t>;

/// Adds so many rows in one transaction. @returns the new rows' ids.
using add_rows = std::function<inbox::expected<ids>(std::size_t rows)>;

/// Adds every row, so many in one transaction, and marks the ids.
inbox::expected<void> add_all(std::size_t at_once, const add_rows& add,
                              stopwatch& watch, tally& rows);

/// Rows as the library takes them, all alike.
std::vector<inbox::new_row> new_rows(std::size_t count);

ids to_ids(const std::vector<inbox::value>& all);

/// Adds rows through a service over this database.
subject by_service(const inbox::pool& over, std::size_t at_once);

} // namespace bench
