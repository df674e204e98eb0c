#pragma once

#include <span>
#include <vector>

#include <pqxx/transaction_base>

#include "inbox/describe/new_rows.hpp"
#include "inbox/new_row.hpp"
#include "inbox/subscription.hpp"

namespace inbox::postgres {

namespace detail {

expected<value> enqueue(pqxx::transaction_base& in, const table& to,
                        const new_rows& row);
expected<std::vector<value>>
enqueue_many(pqxx::transaction_base& in, const table& to, const new_rows& rows);

} // namespace detail

/// Adds a row to a queue within the transaction `in`, so that it comes with
/// what else that writes, or not at all. Nobody is woken: see `enqueue_many`.
/// Costs two trips, the first to learn the columns' types. When the server
/// refuses the row, the transaction has failed, as with any statement.
/// @param now the instant the row's delay counts from.
/// @returns the new row's id; what `enqueue_many` refuses.
expected<value> enqueue(pqxx::transaction_base& in, const subscription& queue,
                        const new_row& row, time_point now = host_now());

/// The same for a described struct, into its own table.
template <described Row>
expected<value> enqueue(pqxx::transaction_base& in, const Row& row) {
  return to_table<Row>().and_then([&](const table& to) {
    return detail::enqueue(in, to, rows_of(std::span<const Row>{&row, 1}));
  });
}

/// Adds rows to a queue within the transaction `in`: all or none, by a
/// savepoint. After a refusal the rows are gone and the transaction goes on
/// without them.
///
/// Nobody is woken, since the rows cannot be seen yet: call `service::wake`
/// after the commit, or they wait for the next poll.
/// @pre `in` is a transaction: pqxx::nontransaction is refused.
/// @returns the new rows' ids, in the order of `rows`; `errc::missing_role`
///          when a row sets what the table has no column for, and
///          `errc::connection_lost` when the transaction is lost with it.
expected<std::vector<value>> enqueue_many(pqxx::transaction_base& in,
                                          const subscription& queue,
                                          std::span<const new_row> rows,
                                          time_point now = host_now());

/// The same for described structs, into their own table.
template <described_rows Rows>
expected<std::vector<value>> enqueue_many(pqxx::transaction_base& in,
                                          const Rows& rows) {
  using row = std::ranges::range_value_t<Rows>;
  return to_table<row>().and_then([&](const table& to) {
    return detail::enqueue_many(in, to, rows_of(std::span<const row>{rows}));
  });
}

} // namespace inbox::postgres
