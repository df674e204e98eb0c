#pragma once

#include <cstdint>

namespace inbox::test {

/// C++ allocations of the whole program so far. Not those of libpq and SQLite,
/// which call malloc.
std::uint64_t allocations();

/// What the calling thread allocates counts no more.
void leave_this_thread_out();

} // namespace inbox::test
