#pragma once

#include <cstdint>
#include <string_view>

namespace inbox {

/// What a placeholder stands for. A statement is built once and holds
/// meanings; `bind` turns them into values each time it runs.
struct param {
  enum class meaning : std::uint8_t {
    group,        ///< The group the subscription reads.
    now,          ///< The instant the trip read from its clock.
    limit,        ///< Rows a claim may take; most claims write it as a literal.
    low_mark,     ///< A due time no claimable row is expected to lie below.
    token,        ///< The lease end a claim or an extension writes.
    id,           ///< One row's id.
    ids,          ///< The ids of many rows, as one array.
    held_token,   ///< The lease end the delivery holds.
    held_attempt, ///< The attempt the row stores while the delivery holds it.
    retry_at,     ///< The instant a delayed retry becomes due.
    retry_delay,  ///< The same as microseconds from the database's now.
    destination,  ///< The group a dead letter moves to.
    value,        ///< A column's value in an insert; `column` says which.
  };

  meaning what = meaning::id;
  std::uint16_t column = 0; ///< Position in `table::columns()`; `value` alone.

  friend bool operator==(const param&, const param&) = default;
};

constexpr std::string_view to_string(param::meaning what) noexcept {
  switch (what) {
    case param::meaning::group: return "group";
    case param::meaning::now: return "now";
    case param::meaning::limit: return "limit";
    case param::meaning::low_mark: return "low mark";
    case param::meaning::token: return "token";
    case param::meaning::id: return "id";
    case param::meaning::ids: return "ids";
    case param::meaning::held_token: return "held token";
    case param::meaning::held_attempt: return "held attempt";
    case param::meaning::retry_at: return "retry at";
    case param::meaning::retry_delay: return "retry delay (microseconds)";
    case param::meaning::destination: return "destination";
    case param::meaning::value: return "value";
  }
  return "unknown";
}

} // namespace inbox
