#pragma once

#include <ranges>
#include <span>

#include "inbox/describe/row.hpp"
#include "inbox/new_rows.hpp"

namespace inbox {

/// Described structs beside one another: a vector, an array, a span.
template <class Rows>
concept described_rows
  = std::ranges::contiguous_range<Rows> && std::ranges::sized_range<
    Rows> && described<std::ranges::range_value_t<Rows>>;

namespace detail {

/// Positions of the columns that `insert_values` gives a value each.
template <described T>
std::vector<std::uint16_t> inserted_columns() {
  std::vector<std::uint16_t> positions;
  std::uint16_t at = 0;
  for (const auto& f : description_of<T>::facts) {
    if (!f.generated)
      positions.push_back(at);
    ++at;
  }
  return positions;
}

} // namespace detail

/// Structs as new rows of their table: every column the database does not
/// fill in.
/// @param rows to outlive the answer.
template <described T>
new_rows rows_of(std::span<const T> rows) {
  return {
    rows.size(),
    [rows, columns = detail::inserted_columns<T>()](std::size_t at) {
      return insert_values(rows[at]).map([&columns](std::vector<value> values) {
        return row_values{columns, std::move(values)};
      });
    }};
}

} // namespace inbox
