#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "inbox/postgres/link.hpp"
#include "inbox/postgres/prepared.hpp"
#include "inbox/postgres/wire.hpp"

namespace inbox::postgres {

/// One statement, ready to be sent.
struct step {
  std::string_view text;         ///< sent as it is when nothing is prepared
  const prepared* how = nullptr; ///< kept by the session's statements
  arguments with;
};

/// Steps that the server runs as one, up to a Sync of their own: outside a
/// transaction they are one, and all of them happen or none.
using segment = std::vector<step>;

struct segment_result {
  std::vector<result_ptr> results; ///< one for each step that was not refused
  std::optional<failure> why;      ///< The refusal, or how the session ended.
  std::size_t refused = 0;         ///< The refused step.
  bool is_stale = false;    ///< Refused because it was prepared long ago.
  bool is_sent = false;     ///< Its Sync was handed over.
  bool is_answered = false; ///< The server has ended it, commit included.

  bool is_done() const noexcept { return is_answered && !why; }
};

/// Runs segments in one round trip. A refused segment does not keep the later
/// ones from running.
std::vector<segment_result>
run_segments(link& on, std::span<const segment> segments, deadline until);

/// Runs segments in one round trip and one commit: all of them happen or none,
/// and each reports the refusal of any. `refused` is of use in the refused one.
std::vector<segment_result>
run_as_one(link& on, std::span<const segment> segments, deadline until);

} // namespace inbox::postgres
