#pragma once

#include "inbox/subscription.hpp"

namespace bench {

inline constexpr std::string_view table_name = "inbox_bench";
inline constexpr std::string_view group_name = "bench";
inline constexpr std::size_t payload_size = 100;

/// How the library serves the table.
struct serving {
  inbox::form form = inbox::form::lease;
  std::uint32_t workers = 1;
  std::uint32_t prefetch = 1;
};

/// The queue in the table of the benchmarks.
/// @returns the refusal of a description that is not legal any more.
inbox::expected<inbox::subscription> jobs(const serving& how);

} // namespace bench
