#pragma once

#include <cstdint>
#include <string_view>

namespace inbox {

/// What happens to a row, and with it which statements run.
enum class event : std::uint8_t {
  claim,       ///< Takes due rows into work.
  stamp,       ///< Writes the lease into a row a claim only selected.
  fetch,       ///< Reads rows by their ids.
  ack,         ///< The handler is done with the row.
  retry,       ///< Back into the queue at once.
  retry_after, ///< Back into the queue, due later.
  unclaim,     ///< Claimed and never started: as if it had not been claimed.
  discard,     ///< Finished without success; the same statement as `ack`.
  dead_letter, ///< Moved to another group or table.
  extend,      ///< The lease goes on.
  held,        ///< Reads back whether a delivery still holds its row.
  insert,      ///< A new row.
  lock,        ///< Advisory form: takes a key.
  unlock,      ///< Advisory form: gives a key back.
};

inline constexpr std::uint8_t event_count = 14;

constexpr std::string_view to_string(event e) noexcept {
  switch (e) {
    case event::claim: return "claim";
    case event::stamp: return "stamp";
    case event::fetch: return "fetch";
    case event::ack: return "ack";
    case event::retry: return "retry";
    case event::retry_after: return "retry_after";
    case event::unclaim: return "unclaim";
    case event::discard: return "discard";
    case event::dead_letter: return "dead_letter";
    case event::extend: return "extend";
    case event::held: return "held";
    case event::insert: return "insert";
    case event::lock: return "lock";
    case event::unlock: return "unlock";
  }
  return "unknown";
}

} // namespace inbox
