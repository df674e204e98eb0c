#include "inbox/actors/supervisor_state.hpp"

#include <algorithm>

namespace inbox::actors {

namespace {

/// Settlements that may wait to be written before no more rows are claimed.
constexpr std::size_t most_unsettled = 2000;

/// About the time a claim takes.
constexpr duration claim_time = 5ms;

/// How long rows beyond the ceiling have to get below it.
constexpr duration ceiling_time = 100ms;

} // namespace

supervisor::behavior_type
supervisor_state::start(supervisor_settings settings) {
  settings_ = std::move(settings);
  log_.emplace(settings_.statements, settings_.log, settings_.counters);
  const auto& how = of().settings;
  least_ = how.workers * how.batch;
  work_.emplace(in_work::settings{is_lease() ? duration{250ms} : duration{},
                                  how.workers, 4096});
  ahead_.emplace(least_, is_lease() ? how.prefetch : least_);
  return {
    [this](begin& b) { on_begin(b); },
    [this](arrived& a) { on_arrived(a); },
    [this](calls_ended) { on_calls_ended(); },
    [this](settled_rows& s) { on_settled(s); },
    [this](const leases_lost& l) { on_lost(l); },
    [this](supervise s) { on_timer(s); },
    [this](drain_work d) { on_drain(d); },
  };
}

// -- rows come ----------------------------------------------------------

void supervisor_state::on_begin(begin& b) {
  source_ = b.source;
  crew_ = std::move(b.workers);
  calls_ = std::move(b.ends);
  on_down(self_, source_.demand, [this](const caf::error&) {
    claimer_ended_ = true;
    end_if_done();
  });
  if (draining_)
    tell(self_, source_.demand, drain{});
  advance();
}

void supervisor_state::on_arrived(arrived& a) {
  collect();
  credit_.on_arrived(static_cast<std::uint32_t>(a.rows.rows->size()));
  take_rows(a);
  watch_ceiling();
  advance();
}

void supervisor_state::take_rows(arrived& a) {
  const auto rows = a.rows.rows->size();
  hold held{a.rows.number, {}, a.since};
  std::vector<delivery> fresh;
  held.rows.reserve(rows);
  fresh.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    auto d = delivery::from_row(settings_.statements, a.rows, i,
                                ++*settings_.numbers);
    if (!d) {
      log_->cannot_settle(d.error());
      continue;
    }
    held.rows.push_back({d->number(), d->shared_id(), d->held()});
    fresh.push_back(std::move(*d));
  }
  // Held before any of them can end.
  tell(self_, source_.keeper, std::move(held));
  if (a.with && fresh.size() == rows)
    permits_[fresh.front().number()] = *a.with;
  for (auto& d : share(std::move(fresh)))
    work_->add(std::move(d));
}

std::size_t supervisor_state::excess() const {
  const auto held = in_hand();
  return is_lease() && held > ahead_->most() ? held - ahead_->most() : 0;
}

void supervisor_state::watch_ceiling() {
  if (over_ || excess() == 0)
    return;
  over_ = true;
  arm(supervise::stage::ceiling, ceiling_time);
}

void supervisor_state::give_back_excess() {
  over_ = false;
  collect();
  for (const auto d : work_->give_back_newest(excess()))
    finish_delivery(inbox::give_back(*work_->find(d)));
}

void supervisor_state::advance() {
  // A row that is settled unrun leaves its worker free for the next.
  while (start_some())
    ;
  if (work_->waiting() > 0)
    revoke_permits();
  send_ends();
  if (const auto due = work_->next_due(); due && !watching_) {
    watching_ = true;
    arm(supervise::stage::aside, *due - now());
  }
  give_credit();
  settings_.counters->held = static_cast<std::uint32_t>(work_->size());
  settings_.counters->in_work = with_crew_;
  end_if_done();
}

bool supervisor_state::start_some() {
  if (!crew_)
    return false;
  const auto steps = work_->next(crew_->room(soon()), now());
  starting_.reserve(steps.size());
  for (const auto& step : steps) {
    auto d = work_->find(step.number);
    if (step.what == in_work::step::kind::give_back)
      finish_delivery(inbox::give_back(*d));
    else if (auto ended = conclude_unrun(*d, random()))
      conclude_delivery(*d, *ended);
    else {
      lend_permit(step.number);
      starting_.push_back(std::move(d));
    }
  }
  if (!starting_.empty()) {
    with_crew_ += static_cast<std::uint32_t>(starting_.size());
    crew_->run(std::exchange(starting_, {}));
    watch_timeouts();
    watch_quick_calls();
  }
  return !steps.empty();
}

std::uint32_t supervisor_state::soon() const {
  // A row lock's claim holds a session, so none is made ahead.
  return crew_ && is_lease()
           ? std::min(crew_->pace(claim_time), 2 * ahead_->target())
           : 0;
}

void supervisor_state::give_credit() {
  if (draining_ || !work_->may_claim() || unsettled_ > most_unsettled)
    return;
  const auto target = ahead_->target() + soon();
  const claim_credit::goal goal{target, least_,
                                std::min(target / 2, ahead_->target())};
  if (const auto rows = credit_.give(goal,
                                     static_cast<std::uint32_t>(in_hand())))
    tell(self_, source_.demand, credit{rows});
}

std::size_t supervisor_state::in_hand() const {
  const auto out = (is_lease() ? unsettled_ : 0) + aside_.size()
                   + (aside_.size() == 0 ? 0 : work_->blocked());
  return work_->size() - std::min(out, work_->size());
}

// -- rows end -----------------------------------------------------------

void supervisor_state::on_calls_ended() {
  collect();
  advance();
}

void supervisor_state::collect() {
  if (!calls_)
    return;
  calls_->take(ended_);
  if (!ended_.empty())
    ahead_->on_finished(static_cast<std::uint32_t>(ended_.size()), now());
  ends_.reserve(ends_.size() + ended_.size());
  for (const auto& end : ended_)
    on_end(end);
}

void supervisor_state::on_end(const call_end& end) {
  if (end.turned)
    return on_turn(*end.turned);
  crew_->on_end(end.delivery);
  --with_crew_;
  const auto d = work_->find(end.delivery);
  if (!d)
    return;
  // A handler that was told to end and failed: nothing to settle.
  const bool gave_up = !end.answer
                       && (end.asked == stop_reason::draining
                           || end.asked == stop_reason::lease_lost);
  if (end.asked == stop_reason::lease_lost && !gave_up)
    log_->lost_while_running(*d);
  if (gave_up)
    finish_delivery(release(*d));
  else
    conclude_delivery(*d, conclude(*d, end.answer, random()));
}

void supervisor_state::conclude_delivery(const delivery& d, conclusion c) {
  log_->concluded(d, c);
  if (c.stops && !stopped_by_) {
    stopped_by_ = *c.fault;
    settings_.on_stop();
  }
  finish_delivery(std::move(c.decision.end));
}

void supervisor_state::finish_delivery(settlement end) {
  hold_claimed(end.delivery);
  permits_.erase(end.delivery);
  ++unsettled_;
  ends_.push_back(std::move(end));
}

void supervisor_state::send_ends() {
  if (!ends_.empty())
    tell(self_, source_.keeper, finish{std::exchange(ends_, {})});
}

void supervisor_state::on_settled(const settled_rows& s) {
  bool due_again = false;
  for (std::size_t i = 0; i < s.ends.size(); ++i) {
    note_settled(s.ends[i], s.results[i]);
    due_again |= s.ends[i].what == event::retry
                 || s.ends[i].what == event::unclaim;
    wake_when_due(s.ends[i]);
  }
  arm_wake();
  advance();
  if (due_again && !draining_)
    tell(self_, source_.demand, wake{});
}

void supervisor_state::note_settled(const settlement& end,
                                    const settled& result) {
  unsettled_ -= std::min<std::size_t>(unsettled_, 1);
  log_->settled(end, result);
  if (result.went != settled::how::done && result.went != settled::how::lost) {
    set_aside(end.delivery);
    return;
  }
  const bool retried = end.what == event::retry
                       || end.what == event::retry_after;
  work_->finish(end.delivery,
                retried ? in_work::ending::retried : in_work::ending::gone);
}

void supervisor_state::wake_when_due(const settlement& end) {
  if (end.what == event::retry_after && !draining_
      && end.delay < of().settings.poll_interval)
    wakes_.add(now() + end.delay);
}

void supervisor_state::arm_wake() {
  if (const auto next = wakes_.to_arm())
    arm(supervise::stage::due, *next - now());
}

void supervisor_state::wake_due() {
  if (wakes_.take_due(now()) && !draining_)
    tell(self_, source_.demand, wake{});
  arm_wake();
}

void supervisor_state::set_aside(delivery_number d) {
  aside_.add(d, now());
  revoke_permits(); // or a worker might start the row sooner
  if (aside_.size() == 1)
    arm(supervise::stage::aside, *aside_.next() - now());
}

void supervisor_state::take_up_aside() {
  // Its handler ended, so when it comes back it is no crash suspect.
  for (const auto d : aside_.take_due(now()))
    work_->finish(d, in_work::ending::retried);
  if (const auto next = aside_.next())
    arm(supervise::stage::aside, *next - now());
}

supervisor spawn_supervisor(caf::actor_system& sys,
                            supervisor_settings settings) {
  return spawn_state<supervisor_state>(sys, std::move(settings));
}

} // namespace inbox::actors
