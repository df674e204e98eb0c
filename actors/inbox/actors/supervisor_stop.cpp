#include "inbox/actors/supervisor_state.hpp"

#include <algorithm>

namespace inbox::actors {

// -- handlers that take too long -----------------------------------------

void supervisor_state::on_lost(const leases_lost& l) {
  take_back();
  for (const auto d : l.deliveries)
    if (work_->is_waiting(d)) {
      finish_delivery(inbox::give_back(*work_->find(d)));
      work_->finish(d, in_work::ending::gone);
    } else if (crew_) {
      crew_->stop(d, stop_reason::lease_lost);
    }
  advance();
}

void supervisor_state::take_back() {
  if (crew_)
    for (const auto d : crew_->take_back()) {
      --with_crew_;
      work_->put_back(d);
    }
}

void supervisor_state::watch_timeouts() {
  const auto limit = of().settings.timeout;
  if (limit == duration::zero() || timing_)
    return;
  timing_ = true;
  arm(supervise::stage::timeouts,
      std::clamp(limit / 10, duration{10ms}, duration{1s}));
}

void supervisor_state::watch_quick_calls() {
  if (helping_ || !crew_->gathers())
    return;
  helping_ = true;
  arm(supervise::stage::gathered, 1ms);
}

void supervisor_state::help_crew() {
  helping_ = false;
  collect();
  crew_->help();
  watch_quick_calls();
}

void supervisor_state::stop_timed_out() {
  timing_ = false;
  crew_->stop_older(now() - of().settings.timeout, stop_reason::timed_out);
  if (crew_->running() > 0)
    watch_timeouts();
}

void supervisor_state::on_timer(supervise s) {
  switch (s.what) {
    case supervise::stage::timeouts: stop_timed_out(); return;
    case supervise::stage::gathered: help_crew(); break;
    case supervise::stage::ceiling: give_back_excess(); break;
    case supervise::stage::due: wake_due(); return;
    case supervise::stage::aside:
      watching_ = false;
      take_up_aside();
      break;
    case supervise::stage::drain_timeout: ask_to_end(); return;
    case supervise::stage::grace: abandon(); break;
  }
  advance();
}

// -- the end --------------------------------------------------------------

void supervisor_state::on_drain(drain_work d) {
  if (!draining_) {
    draining_ = true;
    revoke_permits();
    take_back();
    work_->on_drain();
    tell(self_, source_.demand, drain{});
    arm(supervise::stage::drain_timeout, of().settings.drain_timeout);
  }
  if (d.at_once)
    ask_to_end();
  advance();
}

void supervisor_state::ask_to_end() {
  if (asked_to_end_)
    return;
  asked_to_end_ = true;
  if (crew_)
    crew_->stop_all(stop_reason::draining);
  arm(supervise::stage::grace, settings_.grace);
}

void supervisor_state::abandon() {
  if (!crew_)
    return;
  const auto left = crew_->abandon();
  collect(); // what ended before
  with_crew_ = 0;
  for (const auto number : left)
    if (const auto d = work_->find(number)) {
      log_->abandoned(*d);
      finish_delivery(release(*d));
    }
}

void supervisor_state::end_if_done() {
  if (!draining_ || !claimer_ended_ || work_->size() > 0)
    return;
  settings_.on_end(stopped_by_);
  self_->quit();
}

} // namespace inbox::actors
