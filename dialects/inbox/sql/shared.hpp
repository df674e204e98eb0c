#pragma once

#include <cstdint>
#include <vector>

#include "inbox/sql/conditions.hpp"

namespace inbox::sql {

/// How one database spells what the settlements of every database share.
struct spelling {
  const dialect& speaks;
  const table& of;
  rows which;               ///< One row a settlement, or an array of them.
  std::vector<piece> held;  ///< Names the rows and what they must still hold.
  piece now;                ///< The present instant.
  piece due_later;          ///< The instant a delayed retry becomes due.
  piece counted;            ///< The attempt plus one, as far as its type goes.
  std::string_view locking; ///< Ends a read that must see the last state.
};

/// Writes every settlement of the table's form into `to`, the dead letter to
/// another table excepted. What the table has no column for stays empty.
void put_settlements(statement_set& to, const spelling& how);

/// The end of each settlement: its rows, and their ids given back where it
/// names many, so that each row gets its own answer.
void finish_settlement(writer& w, const spelling& how);

/// Names of the columns a claim orders by: priority, retry_after, id (C-035).
std::vector<piece> claim_order(const table& t);

/// The limits worth a claim text of their own: a demand of 7 is one claim of 5
/// and one of 2, not seven.
std::vector<std::uint32_t> claim_limits(const subscription& s);

/// The insert of so many rows of these columns, answering their ids; a row of
/// defaults alone when there are none (C-093).
/// @returns `errc::invalid_description` for a position past the last column.
expected<statement> insert(const dialect& speaks, const table& t,
                           std::span<const std::uint16_t> columns,
                           std::size_t rows);

/// Positions of the columns a producer writes: all but the generated ones.
std::vector<std::uint16_t> written_columns(const table& t);

/// Refuses what no database serves yet: FIFO groups and the advisory form.
expected<void> check_served(const table& t);

/// The same failure, with the subscription and table it concerns.
tl::unexpected<failure> refused(failure why, const subscription& s);

} // namespace inbox::sql
