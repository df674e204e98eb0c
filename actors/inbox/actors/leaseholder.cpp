#include "inbox/actors/leaseholder.hpp"

#include "inbox/lease_book.hpp"

namespace inbox::actors {

namespace {

class leaseholder_state {
public:
  using interface_type = leaseholder;
  static inline const char* name = "inbox.leaseholder";

  explicit leaseholder_state(leaseholder::pointer self) : self_{self} {}

  leaseholder::behavior_type start(leaseholder_settings settings,
                                   session_pool pool, settler to,
                                   supervisor work) {
    settings_ = std::move(settings);
    pool_ = std::move(pool);
    settler_ = std::move(to);
    work_ = std::move(work);
    book_.emplace(settings_.statements->of().settings.lease);
    return {
      [this](hold& h) { on_hold(h); },
      [this](finish& f) { on_finish(f); },
      [this](const lent& l) { on_lent(l); },
      [this](const not_lent& n) { on_not_lent(n); },
      [this](const trip_done& t) { on_extended(t); },
      [this](tick t) { on_tick(t); },
    };
  }

private:
  void on_hold(hold& h) {
    for (auto& r : h.rows)
      if (r.held)
        book_->hold(r.delivery, std::move(r.id), *r.held, h.since);
    arm();
  }

  void on_finish(finish& f) {
    std::vector<settlement> ready;
    ready.reserve(f.ends.size());
    for (auto& end : f.ends)
      if (auto filled = book_->finish(std::move(end)))
        ready.push_back(std::move(*filled));
    pass_on(std::move(ready));
  }

  void pass_on(std::vector<settlement> ready) {
    if (!ready.empty())
      tell(self_, settler_, settle_now{std::move(ready)});
  }

  void on_tick(tick t) {
    if (t.timer != timer_)
      return;
    armed_.reset();
    const auto now = steady_now(self_);
    tell_lost(now);
    note_lateness(now);
    ask_if_due(now);
    arm();
  }

  void ask_if_due(instant now) {
    const auto due = book_->next_due();
    if (asked_ || !due || *due > now)
      return;
    asked_ = true;
    tell(self_, pool_, borrow{0, loan_purpose::extend, borrower{self_}});
  }

  void on_lent(const lent& l) {
    trip request;
    request.statements = settings_.statements;
    request.extensions = book_->take_due(steady_now(self_), settings_.chunk);
    if (request.extensions.empty()) {
      asked_ = false;
      tell(self_, pool_, give_back{l.loan, true});
      arm();
      return;
    }
    tell(
      self_, l.on,
      run_trip{l.loan, std::move(request), borrower{self_}, row_sink{work_}});
  }

  void on_not_lent(const not_lent&) {
    asked_ = false;
    arm();
  }

  void on_extended(const trip_done& t) {
    asked_ = false;
    tell(self_, pool_, give_back{t.loan, !t.result.session_lost});
    const auto now = steady_now(self_);
    pass_on(book_->on_extended(t.result.extensions, t.since, now));
    tell_lost(now);
    ask_if_due(now); // a chunk may have been left out
    arm();
  }

  void tell_lost(instant now) {
    auto lost = book_->take_lost(now);
    if (!lost.empty())
      tell(self_, work_, leases_lost{std::move(lost)});
  }

  /// How far behind its time the next extension is, the worst so far (B17).
  void note_lateness(instant now) {
    const auto due = book_->next_due();
    if (!due || *due > now)
      return;
    const auto late = std::chrono::duration_cast<duration>(now - *due).count();
    auto& worst = settings_.counters->extension_lateness_us;
    if (late > worst.load())
      worst = late;
  }

  /// Keeps one timer armed for the next due instant. While a session is asked
  /// for, expiries are still looked at.
  void arm() {
    const auto due = book_->next_due();
    if (!due || (armed_ && *armed_ <= *due))
      return;
    armed_ = *due;
    const auto wait = *due - steady_now(self_);
    tell_after(self_, leaseholder{self_},
               std::max(std::chrono::duration_cast<duration>(wait),
                        asked_ ? duration{10ms} : duration{1ms}),
               tick{++timer_});
  }

  leaseholder::pointer self_;
  leaseholder_settings settings_;
  session_pool pool_;
  settler settler_;
  supervisor work_;
  std::optional<lease_book> book_;
  std::optional<instant> armed_;
  std::uint64_t timer_ = 0;
  bool asked_ = false; ///< a session, or an extension is under way
};

} // namespace

leaseholder spawn_leaseholder(caf::actor_system& sys,
                              leaseholder_settings settings, session_pool pool,
                              settler to, supervisor work) {
  return spawn_state<leaseholder_state>(
    sys, std::move(settings), std::move(pool), std::move(to), std::move(work));
}

} // namespace inbox::actors
