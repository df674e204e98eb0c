#pragma once

#include "inbox/actors/counters.hpp"
#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

struct leaseholder_settings {
  shared_statements statements;
  std::size_t chunk = 1000; ///< deliveries one extension names at most
  std::shared_ptr<queue_counters> counters;
};

/// Starts the only owner of a queue's tokens. Extends each delivery's lease
/// every half lease, on a session of its own; hands settlements on to `to`
/// with the token the row then holds.
leaseholder spawn_leaseholder(caf::actor_system& sys,
                              leaseholder_settings settings, session_pool pool,
                              settler to, supervisor work);

} // namespace inbox::actors
