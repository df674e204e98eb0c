#include "inbox/statement_set.hpp"

#include <algorithm>

namespace inbox {

std::span<const statement> statement_set::at(event e) const noexcept {
  return by_event_[static_cast<std::size_t>(e)];
}

const sized_claim& statement_set::claim(std::uint32_t wanted) const noexcept {
  const auto above = std::upper_bound(
    claims_.begin(), claims_.end(), wanted,
    [](std::uint32_t n, const sized_claim& c) { return n < c.limit; });
  return above == claims_.begin() ? claims_.front() : *std::prev(above);
}

void statement_set::put(event e, std::vector<statement> statements) {
  by_event_[static_cast<std::size_t>(e)] = std::move(statements);
}

void statement_set::put_claim(sized_claim claim) {
  const auto where = std::upper_bound(
    claims_.begin(), claims_.end(), claim.limit,
    [](std::uint32_t n, const sized_claim& c) { return n < c.limit; });
  claims_.insert(where, std::move(claim));
}

} // namespace inbox
