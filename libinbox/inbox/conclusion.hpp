#pragma once

#include "inbox/handler.hpp"
#include "inbox/settle.hpp"

namespace inbox {

/// How a handler call, or the lack of one, ends its delivery.
struct conclusion {
  decided decision;
  /// The failure a policy settled.
  std::optional<failure> fault;
  /// The policy says `stop`: the row goes back as it is, and the service ends
  /// with `fault`.
  bool stops = false;
};

/// Ends a delivery by what its handler answered: the outcome, or the failure
/// by the subscription's policy for it. Pure.
/// @param random in [0, 1), places a backoff's jitter.
conclusion conclude(const delivery& d, const handled& answer, double random);

/// Ends a delivery before any handler runs: one past its cap, or one whose
/// row does not read. Nothing when it may run.
std::optional<conclusion> conclude_unrun(const delivery& d, double random);

/// Ends a delivery whose handler did not end when it was told to: back into
/// the queue at once, spending nothing beyond the attempt counted already.
settlement release(const delivery& d);

} // namespace inbox
