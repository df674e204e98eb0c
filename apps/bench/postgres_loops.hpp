#pragma once

#include "inbox/statement_set.hpp"
#include "postgres_link.hpp"
#include "scenario.hpp"

namespace bench {

/// A raw loop over libpq: what it runs, how often at once.
struct pg_loop {
  std::string url;
  inbox::shared_statements statements;
  std::uint32_t connections = 1;
  std::uint32_t rows = 1; ///< Of one claim.
};

// The library's own statements in bare loops, without policies, time-outs,
// extensions or anything else a service has.

/// Claim in one trip and commit, settle the batch in the next.
inbox::expected<void> lease_batch(const pg_loop&, stopwatch&, tally&);

/// The last batch's settlement and the next claim in one trip and one commit.
inbox::expected<void> lease_fused_any(const pg_loop&, stopwatch&, tally&);

/// BEGIN, claim, settle, COMMIT: four trips and one commit a row.
inbox::expected<void> row_lock(const pg_loop&, stopwatch&, tally&);

/// Settle, COMMIT, BEGIN and the next claim in one trip.
inbox::expected<void> row_lock_pipe1(const pg_loop&, stopwatch&, tally&);

} // namespace bench
