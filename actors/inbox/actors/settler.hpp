#pragma once

#include "inbox/actors/protocol.hpp"
#include "inbox/log.hpp"
#include "inbox/settlement_batch.hpp"

namespace inbox::actors {

struct settler_settings {
  shared_statements statements;
  settlement_batch::settings batch;
  clock_source clock;
  log_sink log;
};

/// Starts the settler of a queue in the lease form. Every trip but the
/// extensions' goes through it: rows to `supervise`, counts to the claimer.
settler spawn_settler(caf::actor_system& sys, settler_settings settings,
                      session_pool pool, supervisor work);

} // namespace inbox::actors
