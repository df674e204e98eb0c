#pragma once

#include <optional>

#include "inbox/time.hpp"

namespace bench {

/// The parent of a process of this machine.
std::optional<int> parent_of(int pid);

/// A process' name; empty when there is none.
std::string name_of(int pid);

/// CPU time so far of a process, its children of today, and those that ended.
std::optional<inbox::duration> family_cpu(int pid);

} // namespace bench
