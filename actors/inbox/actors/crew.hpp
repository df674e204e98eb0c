#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "inbox/actors/permit.hpp"
#include "inbox/handler.hpp"

namespace inbox::actors {

using instant = std::chrono::steady_clock::time_point;

/// The workers of one queue: threads of the service, or actors of the host.
/// They report the ends of their calls through `call_ends`. Called by the
/// supervisor; made and closed by the service.
class crew {
public:
  virtual ~crew() = default;

  /// How many deliveries more it takes now.
  /// @param line how many may wait in front of busy workers.
  virtual std::uint32_t room(std::uint32_t line) const = 0;

  /// Runs deliveries, in this order. @pre there is room for them.
  virtual void run(std::vector<shared_delivery> rows) = 0;

  /// Lends a permit with the rows that begin with this delivery, before they
  /// are run.
  virtual void lend(delivery_number, const permit&) {}

  /// Takes every permit back. A turn that is under way is reported with the
  /// rows it claims.
  virtual void revoke() {}

  /// The supervisor has heard of the end of a delivery's call.
  virtual void on_end(delivery_number) {}

  /// Deliveries it finishes within so much time, by what calls took of late;
  /// zero when it cannot tell.
  virtual std::uint32_t pace([[maybe_unused]] duration within) const {
    return 0;
  }

  /// True while calls are so quick that ends are gathered and a single worker
  /// may be left to do it all: then `help` is to be called a moment later,
  /// lest a call that takes its time keeps anything back.
  virtual bool gathers() const { return false; }

  /// Wakes an idle worker for what still waits, when nothing began since the
  /// last time.
  virtual void help() {}

  /// Takes back those whose call has not begun.
  virtual std::vector<delivery_number> take_back() { return {}; }

  /// Deliveries whose call runs.
  virtual std::uint32_t running() const = 0;

  // Where a handler can be told, these ask calls to end: one delivery's, all,
  // and those that began at `begun` or before.
  virtual void stop(delivery_number, stop_reason) {}
  virtual void stop_all(stop_reason) {}
  virtual void stop_older([[maybe_unused]] instant begun, stop_reason) {}

  /// Leaves every call to itself; none of them reports any more.
  /// @returns the deliveries of those calls.
  virtual std::vector<delivery_number> abandon() = 0;

  /// Ends the workers and lets the handler go, on the thread that calls; the
  /// supervisor may keep the crew a little longer. Idempotent.
  virtual void close() {}
};

} // namespace inbox::actors
