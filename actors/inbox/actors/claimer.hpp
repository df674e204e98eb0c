#pragma once

#include "inbox/actors/counters.hpp"
#include "inbox/actors/protocol.hpp"
#include "inbox/claim_loop.hpp"
#include "inbox/log.hpp"
#include "inbox/low_mark.hpp"

namespace inbox::actors {

struct claimer_settings {
  std::string queue; ///< for the log
  claim_loop::settings loop;
  bool marks = false; ///< claims can begin at a mark
  log_sink log;
  std::shared_ptr<queue_counters> counters;
};

/// Starts a claimer that sends its claims to `carrier`. It ends once it is
/// told to drain and its last claim has returned.
claimer spawn_claimer(caf::actor_system& sys, claimer_settings settings,
                      claim_carrier carrier);

} // namespace inbox::actors
