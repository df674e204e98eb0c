#pragma once

#include "inbox/delivery.hpp"
#include "inbox/outcome.hpp"

namespace inbox {

/// What a decision on a delivery's end found worth a warning.
enum class settle_note : std::uint8_t {
  none,
  no_retry_after, ///< A delayed retry returned at once: no column (C-123).
  capped,         ///< The cap turned a retry into a dead letter (C-126).
};

struct decided {
  settlement end;
  settle_note note = settle_note::none;
};

/// Maps an outcome to the event that settles the row. Pure. The cap compares
/// the attempt from before the claim and acts on retry and retry_after alone.
decided settle(const delivery& d, outcome answer);

/// The end of a delivery that came with more attempts than the cap allows,
/// before any handler runs (B74); nothing when it may run.
std::optional<decided> over_cap(const delivery& d);

/// The end of a row claimed ahead and never started.
settlement give_back(const delivery& d);

} // namespace inbox
