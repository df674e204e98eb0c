#pragma once

#include <caf/actor.hpp>

#include "inbox/actors/handler_thread.hpp"
#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

/// Starts a worker in front of a thread of the service.
worker spawn_thread_worker(caf::actor_system& sys, handler call,
                           std::shared_ptr<gate> out, std::uint32_t number);

/// Starts a worker in front of an actor of the host's, local or remote, that
/// answers a `message` with an `outcome`.
/// @param timeout bound on its silence; zero means none.
worker spawn_actor_worker(caf::actor_system& sys, caf::actor target,
                          duration timeout, supervisor work,
                          std::uint32_t number);

} // namespace inbox::actors
