#pragma once

#include "inbox/driver.hpp"
#include "jobs.hpp"
#include "scenario.hpp"

namespace bench {

/// Drains the table with a service of the library, from when it has started to
/// when the last row is settled.
inbox::expected<void> drain_by_library(const inbox::pool& over,
                                       const serving& how, stopwatch& watch,
                                       tally& rows);

} // namespace bench
