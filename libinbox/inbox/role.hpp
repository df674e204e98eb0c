#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inbox {

/// What a column does for its queue. Each role is played by one column at
/// most, `data` and `fetched` by any number; only `id` is required. The order
/// is the order of a description's columns (C-001).
enum class column_role : std::uint8_t {
  id,            ///< Names the row; the claim order's last tie breaker.
  group,         ///< The queue a row belongs to, or its FIFO group.
  partition_key, ///< Rows of one key keep their order on one worker.
  priority,      ///< A smaller value is claimed first.
  retry_after,   ///< The row is due from this instant on.
  attempt,       ///< Counts deliveries; 1 in a fresh row.
  locked_until,  ///< The lease, and with it the form of the table.
  processed_at,  ///< Set when the row is finished; without it, it is deleted.
  headers,       ///< A JSON object of strings.
  payload,       ///< The message.
  data,          ///< A column of the service's own.
  fetched,       ///< A column of the service's own that only a fetch reads.
};

/// The roles a description may name, in column order.
inline constexpr std::array named_roles{
  column_role::id,
  column_role::group,
  column_role::partition_key,
  column_role::priority,
  column_role::retry_after,
  column_role::attempt,
  column_role::locked_until,
  column_role::processed_at,
  column_role::headers,
  column_role::payload,
};

constexpr std::string_view to_string(column_role role) noexcept {
  switch (role) {
    case column_role::id: return "id";
    case column_role::group: return "group";
    case column_role::partition_key: return "partition_key";
    case column_role::priority: return "priority";
    case column_role::retry_after: return "retry_after";
    case column_role::attempt: return "attempt";
    case column_role::locked_until: return "locked_until";
    case column_role::processed_at: return "processed_at";
    case column_role::headers: return "headers";
    case column_role::payload: return "payload";
    case column_role::data: return "data";
    case column_role::fetched: return "fetched";
  }
  return "unknown";
}

/// The role of that name among `named_roles`.
constexpr std::optional<column_role>
parse_role(std::string_view name) noexcept {
  for (const auto role : named_roles)
    if (to_string(role) == name)
      return role;
  return std::nullopt;
}

} // namespace inbox
