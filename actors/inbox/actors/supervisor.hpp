#pragma once

#include "inbox/actors/counters.hpp"
#include "inbox/actors/protocol.hpp"
#include "inbox/actors/turns.hpp"
#include "inbox/log.hpp"

namespace inbox::actors {

struct supervisor_settings {
  shared_statements statements;
  duration grace = 3s; ///< for handlers asked to end at the drain time-out
  log_sink log;
  std::shared_ptr<queue_counters> counters;
  /// Called once, when nothing is in work or unsettled any more; with the
  /// failure that made the queue stop itself, if one did. On a CAF thread.
  std::function<void(std::optional<failure>)> on_end;
  /// Called when a policy says `stop`: the whole service has to drain.
  std::function<void()> on_stop;
  /// Shared with the workers, who number what they claim.
  std::shared_ptr<delivery_numbers> numbers
    = std::make_shared<delivery_numbers>(0);
};

/// Starts the owner of a queue's deliveries in work. It waits for `begin`.
supervisor spawn_supervisor(caf::actor_system& sys,
                            supervisor_settings settings);

} // namespace inbox::actors
