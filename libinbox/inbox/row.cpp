#include "inbox/row.hpp"

#include <algorithm>
#include <numeric>

namespace inbox {

namespace {

/// The same value over other octets.
value_view over(const value_view& v, std::string_view octets) noexcept {
  switch (v.kind()) {
    case value_kind::text: return value_view::text(octets);
    case value_kind::json: return value_view::json(octets);
    case value_kind::decimal: return value_view::decimal(octets);
    case value_kind::bytes: return value_view::bytes(octets);
    default: return v;
  }
}

} // namespace

value_view row_set::at(std::size_t row, std::size_t column) const noexcept {
  const auto& c = cells_[row * columns_.size() + column];
  return over(c.seen, std::string_view{octets_}.substr(c.offset, c.length));
}

row_set::builder::builder(std::vector<std::string> columns)
  : set_{std::make_shared<row_set>()} {
  set_->columns_ = std::move(columns);
}

void row_set::builder::reserve(std::size_t rows, std::size_t octets) {
  set_->cells_.reserve(rows * set_->columns_.size());
  set_->octets_.reserve(octets);
}

void row_set::builder::add(const value_view& v) {
  cell c{over(v, {}), set_->octets_.size(), 0};
  if (const auto octets = v.as_octets()) {
    c.length = octets->size();
    set_->octets_.append(*octets);
  }
  set_->cells_.push_back(c);
  set_->rows_ = set_->cells_.size() / set_->columns_.size();
}

void row_set::builder::sort(
  const std::function<bool(std::size_t, std::size_t)>& before) {
  std::vector<std::size_t> order(set_->rows_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(order.begin(), order.end(), before))
    return;
  std::stable_sort(order.begin(), order.end(), before);
  std::vector<cell> sorted;
  sorted.reserve(set_->cells_.size());
  const auto width = static_cast<std::ptrdiff_t>(set_->columns_.size());
  for (const auto from : order) {
    const auto first = set_->cells_.begin()
                       + static_cast<std::ptrdiff_t>(from) * width;
    sorted.insert(sorted.end(), first, first + width);
  }
  set_->cells_ = std::move(sorted);
}

std::size_t row_set::builder::size() const noexcept {
  return set_->size();
}

value_view row_set::builder::at(std::size_t row,
                                std::size_t column) const noexcept {
  return set_->at(row, column);
}

shared_rows row_set::builder::finish() && {
  return std::move(set_);
}

std::optional<std::size_t> row::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < size(); ++i)
    if (set_->columns()[i] == name)
      return i;
  return std::nullopt;
}

} // namespace inbox
