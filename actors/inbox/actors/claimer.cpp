#include "inbox/actors/claimer.hpp"

namespace inbox::actors {

namespace {

class claimer_state {
public:
  using interface_type = claimer;
  static inline const char* name = "inbox.claimer";

  explicit claimer_state(claimer::pointer self) : self_{self} {}

  claimer::behavior_type start(claimer_settings settings,
                               claim_carrier carrier) {
    settings_ = std::move(settings);
    carrier_ = std::move(carrier);
    loop_.emplace(settings_.loop);
    return {
      [this](credit c) { on_credit(c); },
      [this](wake) { on_wake(); },
      [this](poll p) { on_poll(p); },
      [this](drain) { on_drain(); },
      [this](const claimed& c) { on_claimed(c); },
      [this](const claim_failed& c) { on_failed(c); },
      [this](const other_claim& c) { on_other(c); },
    };
  }

private:
  void on_credit(credit c) {
    loop_->on_credit(c.rows);
    follow();
  }

  void on_wake() {
    mark_.drop();
    loop_->on_wake();
    follow();
  }

  void on_poll(poll p) {
    if (p.timer != timer_)
      return;
    armed_.reset();
    if (steady_now(self_) < sleeps_until_) {
      arm();
      return;
    }
    loop_->on_timer();
    follow();
  }

  void sleep() {
    sleeps_until_ = steady_now(self_) + loop_->wait_time();
    arm();
  }

  /// Keeps one message under way: CAF holds a delayed one until its time, so
  /// a new one for each wake would pile up. One that fires early is armed
  /// again for the rest.
  void arm() {
    if (armed_ && *armed_ <= sleeps_until_)
      return;
    armed_ = sleeps_until_;
    tell_after(self_, claimer{self_}, sleeps_until_ - steady_now(self_),
               poll{++timer_});
  }

  void on_drain() {
    loop_->on_drain();
    tell(self_, carrier_, drain{});
    follow();
  }

  void on_claimed(const claimed& c) {
    ++settings_.counters->claims;
    settings_.counters->claimed += c.rows;
    if (c.rows == 0)
      ++settings_.counters->empty_claims;
    failing_ = false;
    mark_.on_claimed(c.order, c.rows >= c.asked, c.first_due);
    loop_->on_claimed(c.order, c.asked, c.rows);
    follow();
  }

  void on_failed(const claim_failed& c) {
    note_failure(c.why);
    loop_->on_failed(c.order);
    follow();
  }

  void on_other(const other_claim& c) {
    if (c.why) {
      note_failure(*c.why);
      loop_->on_other_failed();
    } else {
      failing_ = false;
      loop_->on_other_claimed(c.is_full);
    }
    follow();
  }

  /// The rows stay in the table, so a failed claim costs only a delay. One
  /// line in the log for each run of failures.
  void note_failure(const failure& why) {
    ++settings_.counters->failed_claims;
    if (!failing_ && settings_.log && why.code() != errc::closed)
      settings_.log({log_level::error,
                     "a claim failed; trying again each second",
                     {{"queue", settings_.queue}, {"error", why.to_string()}}});
    failing_ = true;
    mark_.drop();
  }

  void claim(claim_order order) {
    if (settings_.marks)
      order.since = mark_.begin(order.number, steady_now(self_));
    tell(self_, carrier_, want{order, claimer{self_}});
  }

  /// Does what the loop says, until it says to wait.
  void follow() {
    for (;;)
      switch (loop_->next()) {
        case claim_loop::step::none: return;
        case claim_loop::step::claim: claim(loop_->order()); break;
        case claim_loop::step::sleep: sleep(); break;
        case claim_loop::step::stop: self_->quit(); return;
      }
  }

  claimer::pointer self_;
  claimer_settings settings_;
  claim_carrier carrier_;
  std::optional<claim_loop> loop_;
  low_mark mark_;
  instant sleeps_until_{};
  std::optional<instant> armed_; ///< when the timer fires
  std::uint64_t timer_ = 0;      ///< the armed one
  bool failing_ = false;
};

} // namespace

claimer spawn_claimer(caf::actor_system& sys, claimer_settings settings,
                      claim_carrier carrier) {
  return spawn_state<claimer_state>(sys, std::move(settings),
                                    std::move(carrier));
}

} // namespace inbox::actors
