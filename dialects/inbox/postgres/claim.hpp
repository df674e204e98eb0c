#pragma once

#include "inbox/sql/conditions.hpp"

namespace inbox::postgres {

// How Postgres claims. Internal to this component.

/// The present instant, on the table's clock.
sql::piece now(const table& t);

/// The attempt plus one; stays at the column's own maximum, since a claim that
/// failed there would stop the queue. A NULL counts as 1.
sql::piece counted(const table& t);

/// Which end of the claim order bounds a claim from below.
enum class from : std::uint8_t {
  start,
  mark, ///< `param::meaning::low_mark`; rows without a due time count too
};

/// Takes at most `limit` rows: writes the lease, answers the rows as they were
/// before, in claim order.
statement lease_claim(const inbox::dialect& speaks, const table& t,
                      std::uint32_t limit, from begin);

/// Takes at most `limit` rows by locking them in the open transaction.
statement row_lock_claim(const inbox::dialect& speaks, const table& t,
                         std::uint32_t limit, from begin);

} // namespace inbox::postgres
