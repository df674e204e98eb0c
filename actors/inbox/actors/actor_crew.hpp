#pragma once

#include <memory>

#include <caf/actor.hpp>

#include "inbox/actors/call_ends.hpp"
#include "inbox/actors/crew.hpp"

namespace inbox::actors {

/// Workers in front of one actor of the host's, local or remote, that answers
/// a `message` with an `outcome`; each asks it one delivery at a time.
/// @param timeout bound on its silence; zero means none.
std::unique_ptr<crew> make_actor_crew(caf::actor_system& sys, caf::actor target,
                                      std::uint32_t workers, duration timeout,
                                      std::shared_ptr<call_ends> out);

} // namespace inbox::actors
