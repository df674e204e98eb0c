#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/value.hpp"

namespace inbox {

/// The rows one statement returned: one buffer for all their octets, immutable
/// once built and shared, so that handing rows on copies nothing.
class row_set {
public:
  class builder;

  std::size_t size() const noexcept { return rows_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }

  /// Valid while this row set lives.
  value_view at(std::size_t row, std::size_t column) const noexcept;

private:
  /// Where a value lies: its kind and number, or a slice of `octets_`.
  struct cell {
    value_view seen;
    std::size_t offset = 0;
    std::size_t length = 0;
  };

  std::vector<std::string> columns_;
  std::size_t rows_ = 0;
  std::vector<cell> cells_; ///< row by row
  std::string octets_;
};

using shared_rows = std::shared_ptr<const row_set>;

/// Builds a row set, value by value and row by row. Used by one thread.
class row_set::builder {
public:
  explicit builder(std::vector<std::string> columns);

  /// Makes room for what is known to come.
  void reserve(std::size_t rows, std::size_t octets);

  /// The next value of the row under way; copied.
  void add(const value_view& v);

  /// Puts the rows in the order `before` gives, keeping equal ones in place.
  /// @param before answers whether the first row number comes first.
  void sort(const std::function<bool(std::size_t, std::size_t)>& before);

  std::size_t size() const noexcept;
  value_view at(std::size_t row, std::size_t column) const noexcept;

  shared_rows finish() &&;

private:
  std::shared_ptr<row_set> set_;
};

/// One row of a row set. Copies share the set.
class row {
public:
  row() = default;
  row(shared_rows set, std::size_t index) : set_{std::move(set)}, at_{index} {}

  std::size_t size() const noexcept {
    return set_ ? set_->columns().size() : 0;
  }
  const std::string& name(std::size_t column) const {
    return set_->columns()[column];
  }
  /// Valid while any copy of this row lives.
  value_view at(std::size_t column) const noexcept {
    return set_->at(at_, column);
  }
  /// What the views are into; null for a row of nothing.
  const shared_rows& set() const noexcept { return set_; }
  /// The column's position; nothing when the row has no such column.
  std::optional<std::size_t> find(std::string_view name) const noexcept;

private:
  shared_rows set_;
  std::size_t at_ = 0;
};

} // namespace inbox
