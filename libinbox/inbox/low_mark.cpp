#include "inbox/low_mark.hpp"

namespace inbox {

namespace {

constexpr std::uint32_t most_marked = 63;
constexpr duration longest_marked = 250ms;

} // namespace

std::optional<time_point> low_mark::begin(std::uint64_t claim,
                                          instant now) noexcept {
  begun_ = claim;
  if (mark_ && marked_ < most_marked && now - looked_ < longest_marked) {
    ++marked_;
    return mark_;
  }
  marked_ = 0;
  looked_ = now;
  mark_.reset();
  return std::nullopt;
}

void low_mark::on_claimed(const claim_order& order, bool is_full,
                          std::optional<time_point> first_due) noexcept {
  if (!is_full || !first_due)
    drop();
  else if (order.number > dropped_)
    mark_ = first_due;
}

void low_mark::drop() noexcept {
  mark_.reset();
  dropped_ = begun_;
}

std::optional<time_point> first_due(const claimed_rows& rows,
                                    const table& of) noexcept {
  const auto at = of.position(column_role::retry_after);
  if (!at || rows.rows->size() == 0)
    return std::nullopt;
  // Rows without a due time come first.
  return rows.rows->at(0, *at).as_time();
}

} // namespace inbox
