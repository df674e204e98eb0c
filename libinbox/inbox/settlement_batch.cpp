#include "inbox/settlement_batch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inbox {

namespace {

/// Moves up to `most` from the front of `from` to the end of `to`.
void take(std::vector<settlement>& from, std::vector<settlement>& to,
          std::size_t most) {
  if (to.empty() && from.size() <= most) {
    to.swap(from);
    return;
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(from.size(), most));
  const auto end = from.begin() + count;
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(end));
  from.erase(from.begin(), end);
}

} // namespace

void settlement_batch::add(settlement end) {
  ends_.push_back(std::move(end));
}

void settlement_batch::add(std::vector<settlement> ends) {
  if (ends_.empty())
    ends_ = std::move(ends);
  else
    std::ranges::move(ends, std::back_inserter(ends_));
}

void settlement_batch::add_claim(claim_order order) {
  claims_.push_back(order);
}

void settlement_batch::add_read_back(settlement end) {
  read_backs_.push_back(std::move(end));
}

std::optional<trip> settlement_batch::next() {
  if (!is_ready())
    return std::nullopt;
  const auto most = std::max<std::size_t>(settings_.most, 1);
  trip leaves;
  take(ends_, leaves.settlements, most);
  take(read_backs_, leaves.read_backs, most);
  if (!claims_.empty()) {
    leaves.claim = claims_.front();
    claims_.pop_front();
  }
  ++in_flight_;
  return leaves;
}

bool settlement_batch::is_ready() const noexcept {
  return in_flight_ < std::max(settings_.in_flight, 1u) && is_waiting();
}

std::vector<claim_order> settlement_batch::take_claims() {
  std::vector<claim_order> all{claims_.begin(), claims_.end()};
  claims_.clear();
  return all;
}

std::vector<settlement> settlement_batch::take_settlements() {
  std::vector<settlement> all;
  take(ends_, all, ends_.size());
  take(read_backs_, all, read_backs_.size());
  return all;
}

void settlement_batch::on_done() noexcept {
  --in_flight_;
}

bool settlement_batch::is_waiting() const noexcept {
  return !ends_.empty() || !read_backs_.empty() || !claims_.empty();
}

bool settlement_batch::is_idle() const noexcept {
  return in_flight_ == 0 && !is_waiting();
}

} // namespace inbox
