#pragma once

#include <memory>

#include "inbox/handler.hpp"
#include "inbox/log.hpp"

#include "program/find.hpp"
#include "program/spawner.hpp"

namespace inboxctl {

/// A handler that runs `what` once for each delivery: the payload on its
/// standard input, the rest in its environment, its exit code as the outcome.
/// What it prints is logged with its queue and id. It ends when the delivery
/// is told to, or at the queue's time-out.
inbox::handler program_handler(program what, std::shared_ptr<spawner> spawns,
                               inbox::log_sink log);

/// A handler that runs `what` once for several deliveries: on its standard
/// input a JSON array of them, on its standard output nothing or a JSON array
/// of their outcomes.
inbox::batch_handler program_batch_handler(program what,
                                           std::shared_ptr<spawner> spawns,
                                           inbox::log_sink log);

} // namespace inboxctl
