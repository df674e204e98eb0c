#pragma once

#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

/// Starts the keeper of a queue in the row lock form: it claims on a session
/// of its own for each claim, keeps that session with its open transaction
/// until the rows are settled, and settles on it.
row_lock_keeper spawn_row_lock_keeper(caf::actor_system& sys,
                                      shared_statements statements,
                                      session_pool pool, supervisor work);

} // namespace inbox::actors
