#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "inbox/driver.hpp"
#include "inbox/new_rows.hpp"

namespace inbox {

/// An insert of one or more rows that write the same columns, and its values,
/// one for each placeholder, row after row.
struct insertion {
  std::shared_ptr<const statement> insert; ///< shared by many, never null
  std::vector<value> values;
  std::size_t rows = 1;
};

/// Gathers rows into inserts: as many rows in each as the database takes,
/// 1000 or 8 MiB of values at most, and only rows that follow one another and
/// write the same columns. So the inserts' rows, one insert after the other,
/// are the rows in the order they were added.
///
/// Only a few numbers of rows are used, so that a session keeps few texts
/// prepared: 7 rows are an insert of 5 and one of 2.
class insertions {
public:
  /// Takes each insert as soon as it is full.
  /// @returns a failure to end the call that hands it over.
  using consumer = std::function<expected<void>(insertion)>;

  /// @param speaks, to outlive this.
  insertions(const dialect& speaks, const table& to, consumer take);

  /// Adds these rows, the last ones of this.
  /// @returns what a row refuses, or `take` does.
  expected<void> add(const new_rows& rows);

private:
  using positions = std::vector<std::uint16_t>;

  expected<void> add(row_values row);
  expected<void> start(positions columns);
  expected<void> finish();
  expected<void> hand_over(std::size_t rows);
  expected<std::shared_ptr<const statement>> text(std::size_t rows);

  const dialect& speaks_;
  const table& to_;
  consumer take_;

  positions columns_; ///< what the rows under way write
  std::size_t most_ = 1;
  /// By number of rows; null until used.
  std::vector<std::shared_ptr<const statement>> texts_;
  std::vector<value> values_;
  std::size_t rows_ = 0;
  std::size_t octets_ = 0;
};

/// The inserts of all these rows.
expected<std::vector<insertion>>
insertions_of(const dialect& speaks, const table& to, const new_rows& rows);

/// The ids of an insert's rows, in their order. An insert writes its rows in
/// the order they are written down and answers each id as its row is written;
/// so the ids are in order when there are as many as rows.
/// @param answer the ids that the insert answered, in a first column. None at
///        all become NULLs: a trigger put the rows elsewhere.
/// @returns `errc::statement` when there are fewer ids than rows, since which
///          rows they belong to cannot be told.
expected<std::vector<value>> ids_of(const row_set& answer, std::size_t rows);

/// Runs one insert on a session.
/// @returns the ids of its rows, in their order.
expected<std::vector<value>> run(connection& on, const insertion& what);

} // namespace inbox
