#include "inbox/actors/supervisor.hpp"

#include <algorithm>
#include <random>

#include "inbox/actors/claim_credit.hpp"
#include "inbox/actors/delivery_log.hpp"
#include "inbox/actors/handler_calls.hpp"
#include "inbox/actors/rows_aside.hpp"
#include "inbox/actors/wake_times.hpp"
#include "inbox/claim_ahead.hpp"
#include "inbox/conclusion.hpp"
#include "inbox/in_work.hpp"

namespace inbox::actors {

namespace {

/// How long a row whose settlement failed stays aside.
constexpr duration aside_for = 1s;

/// Settlements that may wait to be written before no more rows are claimed.
constexpr std::size_t most_unsettled = 2000;

class supervisor_state {
public:
  using interface_type = supervisor;
  static inline const char* name = "inbox.supervisor";

  explicit supervisor_state(supervisor::pointer self) : self_{self} {}

  supervisor::behavior_type start(supervisor_settings settings) {
    settings_ = std::move(settings);
    log_.emplace(settings_.statements, settings_.log, settings_.counters);
    const auto& how = of().settings;
    work_.emplace(
      in_work::settings{is_lease() ? duration{250ms} : duration{}, 4096});
    ahead_.emplace(how.workers, is_lease() ? how.prefetch : how.workers);
    return {
      [this](const begin& b) { on_begin(b); },
      [this](const arrived& a) { on_arrived(a); },
      [this](const worked& w) { on_worked(w); },
      [this](const settled_rows& s) { on_settled(s); },
      [this](const leases_lost& l) { on_lost(l); },
      [this](supervise s) { on_timer(s); },
      [this](drain_work d) { on_drain(d); },
    };
  }

private:
  // -- rows come ----------------------------------------------------------

  void on_begin(const begin& b) {
    source_ = b.source;
    workers_ = b.workers;
    calls_.set_workers(static_cast<std::uint32_t>(workers_.size()));
    on_down(self_, source_.demand, [this](const caf::error&) {
      claimer_ended_ = true;
      end_if_done();
    });
    if (draining_)
      tell(self_, source_.demand, drain{});
    advance();
  }

  void on_arrived(const arrived& a) {
    const auto rows = static_cast<std::uint32_t>(a.rows.rows->size());
    credit_.on_arrived(rows);
    hold held{a.rows.number, {}, a.since};
    std::vector<delivery> fresh;
    for (std::size_t i = 0; i < rows; ++i) {
      auto d = delivery::from_row(settings_.statements, a.rows, i, ++numbers_);
      if (!d) {
        log_->cannot_settle(d.error());
        continue;
      }
      held.rows.push_back({d->number(), value::copy_of(d->id()), d->held()});
      fresh.push_back(std::move(*d));
    }
    // Held before any of them can end.
    tell(self_, source_.keeper, std::move(held));
    for (auto& d : fresh)
      work_->add(std::move(d));
    advance();
  }

  /// Starts what may start, gives back what has to go, asks for more.
  void advance() {
    // A row that is settled unrun leaves its worker free for the next.
    while (start_some())
      ;
    send_ends();
    if (const auto due = work_->next_due(); due && !watching_) {
      watching_ = true;
      arm(supervise::stage::aside, *due - now());
    }
    give_credit();
    settings_.counters->held = static_cast<std::uint32_t>(work_->size());
    settings_.counters->in_work = static_cast<std::uint32_t>(calls_.running());
    end_if_done();
  }

  bool start_some() {
    const auto steps = work_->next(calls_.idle(), now());
    for (const auto& step : steps)
      if (step.what == in_work::step::kind::start)
        run(step.number);
      else
        finish_delivery(inbox::give_back(*work_->find(step.number)));
    return !steps.empty();
  }

  void run(delivery_number number) {
    const auto& d = *work_->find(number);
    if (auto ended = conclude_unrun(d, random())) {
      conclude_delivery(d, *ended);
      return;
    }
    const auto& call = calls_.start(number, now());
    tell(self_, workers_[call.worker], work{d, call.signal});
    watch_timeouts();
  }

  /// Keeps the rows in hand and the credit given out at the target.
  void give_credit() {
    if (draining_ || !work_->may_claim() || unsettled_ > most_unsettled)
      return;
    if (const auto rows = credit_.give(ahead_->target(),
                                       static_cast<std::uint32_t>(in_hand()),
                                       calls_.workers()))
      tell(self_, source_.demand, credit{rows});
  }

  /// Rows that run or may run next. Those set aside, and those that wait
  /// behind them, must not keep the rest of the queue out.
  std::size_t in_hand() const {
    const auto out = (is_lease() ? unsettled_ : 0) + aside_.size()
                     + (aside_.size() == 0 ? 0 : work_->blocked());
    return work_->size() - std::min(out, work_->size());
  }

  // -- rows end -----------------------------------------------------------

  void on_worked(const worked& w) {
    const auto why = calls_.end(w.delivery);
    if (!why)
      return; // abandoned, and given back
    ahead_->on_finished(1, now());
    if (const auto* d = work_->find(w.delivery)) {
      // A handler that was told to end and failed: nothing to settle.
      const bool gave_up = !w.answer
                           && (why == stop_reason::draining
                               || why == stop_reason::lease_lost);
      if (why == stop_reason::lease_lost && !gave_up)
        log_->lost_while_running(*d);
      if (gave_up)
        finish_delivery(release(*d));
      else
        conclude_delivery(*d, conclude(*d, w.answer, random()));
    }
    advance();
  }

  void conclude_delivery(const delivery& d, const conclusion& c) {
    log_->concluded(d, c);
    if (c.stops && !stopped_by_) {
      stopped_by_ = *c.fault;
      settings_.on_stop();
    }
    finish_delivery(c.decision.end);
  }

  void finish_delivery(settlement end) {
    ++unsettled_;
    ends_.push_back(std::move(end));
  }

  void send_ends() {
    if (!ends_.empty())
      tell(self_, source_.keeper, finish{std::exchange(ends_, {})});
  }

  void on_settled(const settled_rows& s) {
    bool due_again = false;
    for (std::size_t i = 0; i < s.ends.size(); ++i) {
      note_settled(s.ends[i], s.results[i]);
      due_again |= s.ends[i].what == event::retry;
      wake_when_due(s.ends[i]);
    }
    advance();
    if (due_again && !draining_)
      tell(self_, source_.demand, wake{});
  }

  void note_settled(const settlement& end, const settled& result) {
    unsettled_ -= std::min<std::size_t>(unsettled_, 1);
    log_->settled(end, result);
    if (result.went != settled::how::done
        && result.went != settled::how::lost) {
      set_aside(end.delivery);
      return;
    }
    const bool retried = end.what == event::retry
                         || end.what == event::retry_after;
    work_->finish(end.delivery,
                  retried ? in_work::ending::retried : in_work::ending::gone);
  }

  /// A delayed retry that is due before the next poll gets a wake of its own.
  void wake_when_due(const settlement& end) {
    if (end.what != event::retry_after || draining_
        || end.delay >= of().settings.poll_interval)
      return;
    wakes_.add(now() + end.delay);
    arm_wake();
  }

  void arm_wake() {
    const auto next = wakes_.next();
    if (!next || (wake_armed_ && *wake_armed_ <= *next))
      return;
    wake_armed_ = *next;
    arm(supervise::stage::due, *next - now());
  }

  void wake_due() {
    wake_armed_.reset();
    if (wakes_.take_due(now()) && !draining_)
      tell(self_, source_.demand, wake{});
    arm_wake();
  }

  /// The row is still held here for a while, so a claim that takes it again
  /// does not start it sooner.
  void set_aside(delivery_number d) {
    aside_.add(d, now());
    if (aside_.size() == 1)
      arm(supervise::stage::aside, *aside_.next() - now());
  }

  void take_up_aside() {
    // Its handler ended, so when it comes back it is no crash suspect.
    for (const auto d : aside_.take_due(now()))
      work_->finish(d, in_work::ending::retried);
    if (const auto next = aside_.next())
      arm(supervise::stage::aside, *next - now());
  }

  // -- handlers that take too long -----------------------------------------

  /// A running handler is told; a row that has not started never will. Its
  /// end changes nothing in the table, and takes it out of every book.
  void on_lost(const leases_lost& l) {
    for (const auto d : l.deliveries)
      if (!calls_.stop(d, stop_reason::lease_lost) && work_->is_waiting(d)) {
        finish_delivery(inbox::give_back(*work_->find(d)));
        work_->finish(d, in_work::ending::gone);
      }
    advance();
  }

  void watch_timeouts() {
    const auto limit = of().settings.timeout;
    if (limit == duration::zero() || timing_)
      return;
    timing_ = true;
    arm(supervise::stage::timeouts,
        std::clamp(limit / 10, duration{10ms}, duration{1s}));
  }

  void stop_timed_out() {
    timing_ = false;
    calls_.stop_older(now() - of().settings.timeout, stop_reason::timed_out);
    if (calls_.running() > 0)
      watch_timeouts();
  }

  void on_timer(supervise s) {
    switch (s.what) {
      case supervise::stage::timeouts: stop_timed_out(); return;
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

  void on_drain(drain_work d) {
    if (!draining_) {
      draining_ = true;
      work_->on_drain();
      tell(self_, source_.demand, drain{});
      arm(supervise::stage::drain_timeout, of().settings.drain_timeout);
    }
    if (d.at_once)
      ask_to_end();
    advance();
  }

  void ask_to_end() {
    if (asked_to_end_)
      return;
    asked_to_end_ = true;
    calls_.stop_all(stop_reason::draining);
    arm(supervise::stage::grace, settings_.grace);
  }

  /// The handlers that did not end are left to themselves; their rows go back.
  void abandon() {
    for (const auto number : calls_.abandon())
      if (const auto* d = work_->find(number)) {
        log_->abandoned(*d);
        finish_delivery(release(*d));
      }
  }

  void end_if_done() {
    if (!draining_ || !claimer_ended_ || work_->size() > 0)
      return;
    settings_.on_end(stopped_by_);
    self_->quit();
  }

  // -- small things ---------------------------------------------------------

  const subscription& of() const { return settings_.statements->of(); }
  bool is_lease() const { return of().description.kind() == form::lease; }
  instant now() const { return steady_now(self_); }
  double random() { return std::uniform_real_distribution<>{}(random_); }

  template <class Duration>
  void arm(supervise::stage what, Duration in) {
    const auto wait = std::chrono::duration_cast<duration>(in);
    tell_after(self_, supervisor{self_}, std::max(wait, duration{1ms}),
               supervise{what});
  }

  supervisor::pointer self_;
  supervisor_settings settings_;
  delivery_source source_;
  std::vector<worker> workers_;
  handler_calls calls_;
  std::optional<delivery_log> log_;
  std::optional<in_work> work_;
  std::optional<claim_ahead> ahead_;
  std::vector<settlement> ends_; ///< to be sent to the keeper
  rows_aside aside_{aside_for};
  wake_times wakes_;
  std::optional<instant> wake_armed_; ///< when its timer fires
  std::size_t unsettled_ = 0;         ///< ended and not written yet
  claim_credit credit_;
  delivery_number numbers_ = 0;
  bool watching_ = false; ///< a timer is armed for `in_work`
  bool timing_ = false;   ///< a timer is armed for time-outs
  bool draining_ = false;
  bool asked_to_end_ = false;
  bool claimer_ended_ = false;
  std::optional<failure> stopped_by_;
  std::mt19937_64 random_{std::random_device{}()};
};

} // namespace

supervisor spawn_supervisor(caf::actor_system& sys,
                            supervisor_settings settings) {
  return spawn_state<supervisor_state>(sys, std::move(settings));
}

} // namespace inbox::actors
