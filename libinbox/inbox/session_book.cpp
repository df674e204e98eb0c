#include "inbox/session_book.hpp"

#include <algorithm>

#include "inbox/policy.hpp"

namespace inbox {

session_book::session_book(settings s)
  : settings_{s}, sessions_(std::max(s.size, 1u)) {}

loan_number session_book::ask(loan_purpose purpose) {
  const auto behind = std::find_if(
    waiting_.begin(), waiting_.end(),
    [purpose](const request& r) { return r.purpose > purpose; });
  return waiting_.insert(behind, {++loans_, purpose})->loan;
}

bool session_book::withdraw(loan_number loan) {
  return std::erase_if(waiting_,
                       [loan](const request& r) { return r.loan == loan; })
         > 0;
}

void session_book::give_back(loan_number loan, bool usable, instant now,
                             double random) {
  for (auto& s : sessions_) {
    if (s.is != state::lent || s.loan != loan)
      continue;
    s.loan = 0;
    s.is = usable ? state::free : state::closed;
    if (!usable)
      back_off(now, random);
    else if (!s.proven)
      failures_ = 0;
    s.proven = usable;
    return;
  }
}

void session_book::on_opened(std::uint32_t slot) {
  sessions_[slot].is = state::free;
  sessions_[slot].proven = false;
  not_before_.reset();
}

void session_book::on_lost(std::uint32_t slot, instant now, double random) {
  sessions_[slot].is = state::closed;
  back_off(now, random);
}

void session_book::back_off(instant now, double random) {
  // One outage takes many sessions at once: that is one failure, not many.
  if (not_before_ && now < *not_before_)
    return;
  ++failures_;
  const backoff waits{.first = settings_.first_backoff,
                      .cap = settings_.backoff_cap};
  not_before_ = now + waits.delay(failures_, random);
}

std::vector<loan_number> session_book::take_refused() {
  std::vector<loan_number> refused;
  if (!not_before_)
    return refused;
  std::erase_if(waiting_, [&](const request& r) {
    const bool refuse = r.purpose >= loan_purpose::claim
                        && !can_be_had(r.purpose);
    if (refuse)
      refused.push_back(r.loan);
    return refuse;
  });
  return refused;
}

std::vector<session_book::step> session_book::next(instant now,
                                                   const has_ended& ended) {
  std::vector<step> steps;
  lend(steps, ended);
  if (not_before_ && now >= *not_before_)
    not_before_.reset();
  if (!not_before_)
    open(steps);
  return steps;
}

void session_book::lend(std::vector<step>& steps, const has_ended& ended) {
  std::erase_if(waiting_, [&](const request& r) {
    auto slot = slot_for(r.purpose);
    for (; slot && ended && ended(*slot); slot = slot_for(r.purpose)) {
      sessions_[*slot].is = state::closed;
      steps.push_back({step::kind::drop, *slot});
    }
    if (!slot)
      return false;
    sessions_[*slot].is = state::lent;
    sessions_[*slot].loan = r.loan;
    steps.push_back({step::kind::lend, *slot, r.loan});
    return true;
  });
}

void session_book::open(std::vector<step>& steps) {
  // After a failure one session finds out whether the database is back.
  const auto most = failures_ > 0 ? 1u : size();
  auto opening = count({0, size()}, state::opening);
  for (const auto in :
       {range_of(loan_purpose::claim), range_of(loan_purpose::other)}) {
    // Where both are the same range, the second round finds nothing to do.
    auto wanted = demand(in);
    wanted -= std::min(wanted,
                       count(in, state::free) + count(in, state::opening));
    for (auto slot = in.first; slot < in.last; ++slot) {
      if (wanted == 0 || opening >= most)
        break;
      if (sessions_[slot].is != state::closed)
        continue;
      sessions_[slot].is = state::opening;
      steps.push_back({step::kind::open, slot});
      --wanted;
      ++opening;
    }
  }
}

std::optional<session_book::instant> session_book::next_due() const noexcept {
  return waiting_.empty() ? std::nullopt : not_before_;
}

std::uint32_t session_book::spare() const noexcept {
  const auto in = range_of(loan_purpose::claim);
  const auto left = in.last - in.first - count(in, state::lent);
  return left - std::min(left, kept_free(loan_purpose::claim));
}

bool session_book::is_idle() const noexcept {
  return count({0, size()}, state::opening) == 0
         && count({0, size()}, state::lent) == 0;
}

session_book::range session_book::range_of(loan_purpose p) const noexcept {
  if (!settings_.one_writer || size() == 1)
    return {0, size()};
  return p == loan_purpose::other ? range{1, size()} : range{0, 1};
}

std::uint32_t session_book::kept_free(loan_purpose p) const noexcept {
  return p == loan_purpose::claim && !settings_.one_writer ? 1 : 0;
}

std::uint32_t session_book::count(range in, state is) const noexcept {
  std::uint32_t n = 0;
  for (auto slot = in.first; slot < in.last; ++slot)
    n += sessions_[slot].is == is ? 1 : 0;
  return n;
}

std::uint32_t session_book::demand(range in) const noexcept {
  std::uint32_t asked = 0;
  std::uint32_t kept = 0;
  for (const auto& r : waiting_)
    if (range_of(r.purpose) == in) {
      ++asked;
      kept = std::max(kept, kept_free(r.purpose));
    }
  return asked + kept;
}

bool session_book::can_be_had(loan_purpose p) const noexcept {
  const auto in = range_of(p);
  return in.last - in.first - count(in, state::closed) > kept_free(p);
}

std::optional<std::uint32_t>
session_book::slot_for(loan_purpose p) const noexcept {
  const auto in = range_of(p);
  if (count(in, state::free) <= kept_free(p))
    return std::nullopt;
  auto slot = in.first;
  while (sessions_[slot].is != state::free)
    ++slot;
  return slot;
}

} // namespace inbox
