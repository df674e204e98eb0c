#pragma once

#include <optional>
#include <string>

#include "inbox/headers.hpp"
#include "inbox/time.hpp"

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

} // namespace inbox
