#pragma once

#include "inbox/statement_set.hpp"
#include "scenario.hpp"

namespace bench {

/// A raw loop over sqlite3, on one connection.
struct sqlite_loop {
  std::string file;
  inbox::shared_statements statements;
  std::uint32_t rows = 1; ///< Of one claim.
};

// The library's own statements in bare loops.

/// The last batch's settlements and the next claim in one transaction.
inbox::expected<void> sel_fused(const sqlite_loop&, stopwatch&, tally&);

/// A transaction for each claim, and one for each settlement.
inbox::expected<void> sel_each(const sqlite_loop&, stopwatch&, tally&);

} // namespace bench
