#include "inbox/lease_book.hpp"

#include <algorithm>
#include <utility>

namespace inbox {

void lease_book::hold(delivery_number d, value id, token held, instant since) {
  held_.insert_or_assign(d, entry{.id = std::move(id),
                                  .held = held,
                                  .due = since + lease_ / 2,
                                  .expires = since + lease_,
                                  .waiting = std::nullopt});
}

std::vector<extension> lease_book::take_due(instant now, std::size_t most) {
  using place = held_rows::iterator;
  std::vector<place> due;
  bool any = false;
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    const auto& e = at->second;
    if (e.extending || e.lost || e.is_ended(now) || e.due > now + lease_ / 20)
      continue;
    any = any || e.due <= now;
    due.push_back(at);
  }
  if (!any)
    return {};
  // The nearest to its expiry first: a chunk that is cut off must not be the
  // one that was waiting longest (B18).
  std::sort(due.begin(), due.end(), [](place a, place b) {
    return std::pair{a->second.expires, a->first}
           < std::pair{b->second.expires, b->first};
  });
  due.resize(std::min(due.size(), most));
  std::vector<extension> taken;
  taken.reserve(due.size());
  for (const auto at : due) {
    at->second.extending = true;
    taken.push_back({at->first, at->second.id, at->second.held});
  }
  return taken;
}

std::optional<lease_book::instant> lease_book::next_due() const noexcept {
  std::optional<instant> next;
  for (const auto& [number, e] : held_) {
    if (e.lost)
      continue;
    const auto at = e.extending ? e.expires : std::min(e.due, e.expires);
    next = next ? std::min(*next, at) : at;
  }
  return next;
}

std::vector<settlement>
lease_book::on_extended(const std::vector<settled>& results, instant since,
                        instant now) {
  std::vector<settlement> waited;
  for (const auto& result : results) {
    const auto at = held_.find(result.delivery);
    if (at == held_.end() || !at->second.extending)
      continue;
    auto& e = at->second;
    note(e, result, since, now);
    if (!e.waiting)
      continue;
    e.waiting->held = e.held;
    waited.push_back(std::move(*e.waiting));
    held_.erase(at);
  }
  return waited;
}

void lease_book::note(entry& e, const settled& result, instant since,
                      instant now) {
  e.extending = false;
  switch (result.went) {
    case settled::how::done:
      e.held = result.now_held.value_or(e.held);
      e.due = since + lease_ / 2;
      e.expires = since + lease_;
      break;
    case settled::how::lost:
      e.taken_over = true;
      e.due = now;
      break;
    default:
      // An unknown outcome is tried again too: written after all, the row
      // holds another token, the next try says lost and the row comes back.
      e.due = now + lease_ / 10;
  }
}

std::optional<settlement> lease_book::finish(settlement end) {
  const auto at = held_.find(end.delivery);
  if (at == held_.end())
    return end;
  if (at->second.extending) {
    at->second.waiting = std::move(end);
    return std::nullopt;
  }
  end.held = at->second.held;
  held_.erase(at);
  return end;
}

std::vector<delivery_number> lease_book::take_lost(instant now) {
  std::vector<delivery_number> lost;
  for (auto& [number, e] : held_)
    if (!e.lost && e.is_ended(now)) {
      e.lost = true;
      lost.push_back(number);
    }
  std::sort(lost.begin(), lost.end());
  return lost;
}

} // namespace inbox
