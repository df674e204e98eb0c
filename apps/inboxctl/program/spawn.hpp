#pragma once

#include "program/spawner.hpp"

namespace inboxctl {

/// Starts one program from the calling thread; see `spawner`.
inbox::expected<running_program> spawn(const std::string& launcher,
                                       const program& what,
                                       const program_input& input);

/// Keeps the descriptors 0 to 3 taken, so that none of ours ever has a number
/// that a program's own descriptors are put at. Called once, at start.
void reserve_low_descriptors();

} // namespace inboxctl
