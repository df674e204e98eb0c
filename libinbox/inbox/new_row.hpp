#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inbox/dialect.hpp"
#include "inbox/headers.hpp"
#include "inbox/value.hpp"

namespace inbox {

/// A row to add to a queue, by what its columns mean. What is not set keeps
/// its default: due now, first attempt, priority 0, no headers.
struct new_row {
  std::string payload{}; ///< octets; kept exactly
  header_map headers{};
  duration delay{}; ///< until the row is due
  std::optional<std::int64_t> priority{};
  std::optional<std::string> partition_key{};
  std::optional<std::string> group{}; ///< instead of the queue's own
};

/// An insert and its values, one for each placeholder.
struct insertion {
  statement insert;
  std::vector<value> values;
};

/// The insert of one row. The id is the database's to fill in; a generated
/// column is written only when `row` sets it, and so are data columns never.
/// @param now the instant the delay counts from.
/// @returns `errc::missing_role` when `row` sets what the table has no column
///          for, and `errc::undecodable` for a header that is no UTF-8.
expected<insertion> insertion_of(const dialect& speaks,
                                 const subscription& queue, const new_row& row,
                                 time_point now);

} // namespace inbox
