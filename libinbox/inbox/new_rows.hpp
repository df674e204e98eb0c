#pragma once

#include <functional>
#include <span>
#include <vector>

#include "inbox/new_row.hpp"
#include "inbox/subscription.hpp"
#include "inbox/value.hpp"

namespace inbox {

/// What one row writes: positions in `table::columns()`, a value for each.
struct row_values {
  std::vector<std::uint16_t> columns;
  std::vector<value> values;
};

/// Rows to add to a table, of either kind: told one after the other, so that
/// thousands of payloads need not be copied first.
struct new_rows {
  std::size_t count = 0;
  /// Called once for each row, in order.
  std::function<expected<row_values>(std::size_t at)> at;
};

/// What a row writes. The id is the database's to fill in; a generated column
/// is written only when `row` sets it, and so are data columns never.
/// @param now the instant the delay counts from.
/// @returns `errc::missing_role` when `row` sets what the table has no column
///          for, and `errc::undecodable` for a header that is no UTF-8.
expected<row_values> values_of(const subscription& queue, const new_row& row,
                               time_point now);

/// The same for these rows, each when its turn comes.
/// @param queue, rows to outlive the answer.
new_rows rows_of(const subscription& queue, std::span<const new_row> rows,
                 time_point now);

} // namespace inbox
