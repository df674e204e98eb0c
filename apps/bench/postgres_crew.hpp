#pragma once

#include <functional>

#include "postgres_loops.hpp"

namespace bench {

/// One connection of a loop, with its statements prepared as "claim", "ack",
/// "begin" and "commit".
struct pg_hand {
  pg_link on;
  const inbox::statement& claim;
  const inbox::statement& ack;
};

/// What a claim returned: marks the rows and gives their ids.
std::vector<std::int64_t> handle(const pg_result& claimed, tally& rows);

/// Opens the loop's connections, then runs `work` on each in a thread of its
/// own while the watch runs.
/// @returns the first failure.
inbox::expected<void>
run_crew(const pg_loop& loop, stopwatch& watch,
         const std::function<inbox::expected<void>(pg_hand&)>& work);

} // namespace bench
