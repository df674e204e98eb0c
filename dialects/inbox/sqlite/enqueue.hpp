#pragma once

#include <span>
#include <vector>

#include "inbox/describe/new_rows.hpp"
#include "inbox/new_row.hpp"
#include "inbox/subscription.hpp"

namespace SQLite {
class Database;
} // namespace SQLite

namespace inbox::sqlite {

namespace detail {

expected<value> enqueue(SQLite::Database& in, const table& to,
                        const new_rows& row);
expected<std::vector<value>> enqueue_many(SQLite::Database& in, const table& to,
                                          const new_rows& rows);

} // namespace detail

/// Adds a row to a queue within the transaction under way on `in`, so that it
/// comes with what else that writes, or not at all; without one under way it
/// is there at once. Nobody is woken: see `enqueue_many`.
/// @param now the instant the row's delay counts from.
/// @returns the new row's id; what `enqueue_many` refuses.
expected<value> enqueue(SQLite::Database& in, const subscription& queue,
                        const new_row& row, time_point now = host_now());

/// The same for a described struct, into its own table.
template <described Row>
expected<value> enqueue(SQLite::Database& in, const Row& row) {
  return to_table<Row>().and_then([&](const table& to) {
    return detail::enqueue(in, to, rows_of(std::span<const Row>{&row, 1}));
  });
}

/// Adds rows to a queue within the transaction under way on `in`, or in one of
/// their own: all or none. After a refusal the rows are gone, and the
/// transaction goes on without them unless SQLite has ended it.
///
/// Nobody is woken, since the rows cannot be seen yet: call `service::wake`
/// after the commit, or they wait for the next poll.
/// @param now the instant the rows' delays count from.
/// @returns the new rows' ids, in the order of `rows`; `errc::missing_role`
///          when a row sets what the table has no column for.
expected<std::vector<value>> enqueue_many(SQLite::Database& in,
                                          const subscription& queue,
                                          std::span<const new_row> rows,
                                          time_point now = host_now());

/// The same for described structs, into their own table.
template <described_rows Rows>
expected<std::vector<value>> enqueue_many(SQLite::Database& in,
                                          const Rows& rows) {
  using row = std::ranges::range_value_t<Rows>;
  return to_table<row>().and_then([&](const table& to) {
    return detail::enqueue_many(in, to, rows_of(std::span<const row>{rows}));
  });
}

} // namespace inbox::sqlite
