#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

/// How many session actors there are; any thread.
class live_count {
public:
  void add();
  void remove();
  /// @returns false when `at_most` passed first.
  bool wait_for_none(duration at_most);

private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::uint32_t count_ = 0;
};

/// What one session needs to know of its pool.
struct session_place {
  std::uint32_t slot = 0;
  std::uint64_t generation = 0; ///< tells it from earlier ones of that slot
  session_owner owner;
  std::shared_ptr<live_count> live;
  /// Requests that wait for a session; the pool counts them.
  std::shared_ptr<const std::atomic<std::uint32_t>> waiting{};
};

/// Starts the actor that owns `on`, on a thread of its own. `on` is shared
/// only so that the pool can `interrupt()` it.
/// @param clock read once for each trip.
session spawn_session(caf::actor_system& sys, session_place place,
                      std::shared_ptr<connection> on, clock_source clock);

/// The same without a thread of its own, for a connection that never blocks:
/// it runs where the system's scheduler runs, so that a test moves its time.
session spawn_cooperative_session(caf::actor_system& sys, session_place place,
                                  std::shared_ptr<connection> on,
                                  clock_source clock);

} // namespace inbox::actors
