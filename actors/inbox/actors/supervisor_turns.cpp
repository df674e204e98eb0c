#include <algorithm>

#include "inbox/actors/supervisor_state.hpp"

namespace inbox::actors {

void supervisor_state::on_turn(turn& t) {
  with_crew_ -= static_cast<std::uint32_t>(t.ends.size());
  unsettled_ += t.ends.size();
  claimed_.erase(t.with.claim);
  for (std::size_t i = 0; i < t.ends.size(); ++i)
    note_settled(t.ends[i], t.results[i]);
  note_turn(t);
  if (!t.next.empty()) {
    run_on(t);
  } else if (t.claimed && t.claimed->rows->size() > 0) {
    t.with.rows = static_cast<std::uint32_t>(t.claimed->rows->size());
    arrived rest{std::move(*t.claimed), t.since, t.with};
    take_rows(rest);
  } else {
    tell(self_, source_.keeper, hold{t.with.claim, {}, t.since});
  }
}

void supervisor_state::note_turn(const turn& t) {
  if (!t.claimed) {
    revoke_permits();
    tell(self_, source_.demand, other_claim{false, t.claimed.error()});
    return;
  }
  const auto rows = t.claimed->rows->size();
  ++settings_.counters->claims;
  settings_.counters->claimed += rows;
  if (rows == 0)
    ++settings_.counters->empty_claims;
  // A full one matters only to a claimer that waits with credit in hand.
  if (!t.is_full || credit_.out() > 0)
    tell(self_, source_.demand, other_claim{t.is_full, {}});
}

void supervisor_state::run_on(const turn& t) {
  auto& held = claimed_[t.with.claim];
  for (const auto& d : t.next) {
    held.push_back({d->number(), value::copy_of(d->id()), d->held()});
    work_->add_running(d);
  }
  with_crew_ += static_cast<std::uint32_t>(t.next.size());
  watch_timeouts();
  watch_quick_calls();
}

void supervisor_state::hold_claimed(delivery_number d) {
  const auto has = [d](const auto& claim) {
    return std::ranges::any_of(
      claim.second, [d](const held_row& r) { return r.delivery == d; });
  };
  const auto at = std::ranges::find_if(claimed_, has);
  if (at == claimed_.end())
    return;
  tell(self_, source_.keeper, hold{at->first, std::move(at->second), now()});
  claimed_.erase(at);
}

void supervisor_state::lend_permit(delivery_number d) {
  const auto with = permits_.extract(d);
  if (with && !draining_ && aside_.size() == 0 && work_->may_claim())
    crew_->lend(d, with.mapped());
}

void supervisor_state::revoke_permits() {
  permits_.clear();
  if (crew_ && !is_lease())
    crew_->revoke();
}

} // namespace inbox::actors
