#pragma once

#include "inbox/actors/protocol.hpp"
#include "inbox/log.hpp"
#include "inbox/settlement_batch.hpp"

namespace inbox::actors {

struct settler_settings {
  shared_statements statements;
  clock_source clock;
  log_sink log;
  std::size_t most = 1000;    ///< settlements of one trip
  std::uint32_t sessions = 2; ///< at most in hand
  /// Trips at once on one session. More than one lets a session that answers
  /// go on without waiting for word.
  std::uint32_t trips_on_session = 1;
};

/// Starts the settler of a queue in the lease form. Every trip but the
/// extensions' goes through it: rows to `supervise`, counts to the claimer.
settler spawn_settler(caf::actor_system& sys, settler_settings settings,
                      session_pool pool, supervisor work);

} // namespace inbox::actors
