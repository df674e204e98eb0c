#pragma once

#include <array>
#include <optional>

#include "inbox/sql/writer.hpp"

namespace inbox::sql {

/// Where a row of a queue stands.
enum class row_state : std::uint8_t {
  ready,     ///< Due and free.
  delayed,   ///< Not due yet, or never: its due time does not read.
  in_work,   ///< Held by somebody.
  processed, ///< Finished, and kept.
};

inline constexpr std::array row_states{row_state::ready, row_state::delayed,
                                       row_state::in_work,
                                       row_state::processed};

constexpr std::string_view to_string(row_state s) noexcept {
  switch (s) {
    case row_state::ready: return "ready";
    case row_state::delayed: return "delayed";
    case row_state::in_work: return "in-work";
    case row_state::processed: return "processed";
  }
  return "unknown";
}

/// How one database spells what tells a row's state. The pieces and what they
/// refer to outlive this. Inspections change nothing; in the row lock form they
/// take the weakest lock on the free rows for as long as they run, since a
/// lock that others hold shows only in what SKIP LOCKED leaves out.
struct inspection {
  const dialect& speaks;
  const subscription& of;
  /// The row is due, a NULL time included; empty where every row is.
  piece due;
  /// Seconds since the row became due; empty where no column tells.
  piece age;
  std::vector<piece> order; ///< The claim's.
};

/// Rows by state and attempt: state, attempt (NULL where the table counts
/// none), how many, and the greatest age in seconds.
statement count_rows(const inspection& how);

/// How many dead letters there are; nothing without a destination.
std::optional<statement> count_dead(const inspection& how);

/// Rows in claim order: id, group, state, attempt, retry_after, locked_until,
/// processed_at; NULL for what the table has no column for.
/// @param only rows of this state.
statement list_rows(const inspection& how, std::optional<row_state> only,
                    std::uint32_t limit);

/// One row, if any is claimable now or held by somebody.
statement find_work(const inspection& how);

/// `errc::schema`: there is no such table.
tl::unexpected<failure> missing_table(const table_name& t);

} // namespace inbox::sql
