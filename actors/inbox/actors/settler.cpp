#include "inbox/actors/settler.hpp"

#include <map>
#include <random>

namespace inbox::actors {

namespace {

/// The wait before a settlement that failed for a passing reason is tried
/// again; doubled at each failure in a row. Its lease bounds the tries.
constexpr backoff retry_wait{100ms, 2.0, 2s, 0.2};

class settler_state {
public:
  using interface_type = settler;
  static inline const char* name = "inbox.settler";

  explicit settler_state(settler::pointer self) : self_{self} {}

  settler::behavior_type start(settler_settings settings, session_pool pool,
                               supervisor work) {
    settings_ = std::move(settings);
    pool_ = std::move(pool);
    work_ = std::move(work);
    batch_.emplace(settlement_batch::settings{
      settings_.most, settings_.sessions * settings_.trips_on_session});
    return {
      [this](const want& w) { on_want(w); },
      [this](drain) { on_drain(); },
      [this](settle_now& s) { on_settle(s); },
      [this](const lent& l) { on_lent(l); },
      [this](const not_lent& n) { on_not_lent(n); },
      [this](trip_done& t) { on_done(t); },
      [this](tick) { on_tick(); },
      [this](leave) { on_leave(); },
    };
  }

private:
  /// A settlement that waits to be tried again.
  struct again {
    settlement end;
    bool read_back = false;
    std::uint32_t tries = 1;
  };

  /// A session in hand and the trips on it.
  struct loan {
    loan_number number = 0;
    session on;
    std::uint32_t in_flight = 0;
    std::uint32_t trips = 0; ///< so far
    bool lost = false;
  };

  void on_want(const want& w) {
    asks_ = w.asks;
    batch_->add_claim(w.order);
    go_on_soon();
  }

  /// Claims that have not left yet come back empty.
  void on_drain() {
    for (const auto& order : batch_->take_claims())
      tell(self_, asks_, claimed{order, order.limit, 0});
    tell(self_, pool_, withdraw{claim_ticket, borrower{self_}});
  }

  void on_settle(settle_now& s) {
    batch_->add(std::move(s.ends));
    go_on_soon();
  }

  /// Behind what waits in the mailbox, so that settlements and the claim that
  /// they make room for leave in one trip.
  void go_on_soon() {
    if (std::exchange(going_, true))
      return;
    tell(self_, settler{self_}, leave{});
  }

  void on_leave() {
    going_ = false;
    go_on();
  }

  /// Sends what may leave on the sessions in hand, asks for one more where
  /// none is free, and returns those that have nothing to do.
  void go_on() {
    while (auto* on = batch_->is_ready() ? free_loan() : nullptr)
      send(*on);
    give_back_idle();
    if (batch_->is_ready())
      ask();
  }

  loan* free_loan() {
    for (auto& l : loans_)
      if (!l.lost && l.in_flight < trips_allowed() && l.trips < trips_on_loan)
        return &l;
    return nullptr;
  }

  /// Behind a running trip waits only one that settles and claims: two halves
  /// would be two commits, and the other half comes while the trip runs.
  std::uint32_t trips_allowed() const {
    return batch_->has_settlements() && batch_->has_claims()
             ? settings_.trips_on_session
             : 1;
  }

  void send(loan& l) {
    auto request = *batch_->next();
    request.statements = settings_.statements;
    ++l.in_flight;
    ++l.trips;
    tell(
      self_, l.on,
      run_trip{l.number, std::move(request), borrower{self_}, row_sink{work_}});
  }

  void give_back_idle() {
    std::erase_if(loans_, [this](const loan& l) {
      if (l.in_flight > 0)
        return false;
      tell(self_, pool_, give_back{l.number, !l.lost});
      return true;
    });
  }

  /// Borrows a session, for what the next trip would carry.
  void ask() {
    const bool settles = batch_->has_settlements();
    auto& asked = settles ? settle_asked_ : claim_asked_;
    if (asked || (!settles && settle_asked_)
        || loans_.size() >= settings_.sessions)
      return;
    asked = true;
    tell(self_, pool_,
         borrow{settles ? settle_ticket : claim_ticket,
                settles ? loan_purpose::settle : loan_purpose::claim,
                borrower{self_}});
  }

  void on_lent(const lent& l) {
    (l.ticket == settle_ticket ? settle_asked_ : claim_asked_) = false;
    loans_.push_back({l.loan, l.on});
    go_on();
  }

  /// Settlements are refused only when the pool closes; claims also while no
  /// session can be had.
  void on_not_lent(const not_lent& n) {
    (n.ticket == settle_ticket ? settle_asked_ : claim_asked_) = false;
    for (const auto& order : batch_->take_claims())
      tell(self_, asks_, claim_failed{order, n.why});
    if (n.ticket == settle_ticket)
      give_up(n.why);
  }

  void give_up(const failure& why) {
    settled_rows all;
    for (auto& end : batch_->take_settlements()) {
      all.results.push_back({end.delivery, settled::how::failed, why, {}});
      all.ends.push_back(std::move(end));
    }
    tell(self_, work_, std::move(all));
  }

  void on_done(trip_done& t) {
    batch_->on_done();
    for (auto& l : loans_)
      if (l.number == t.loan) {
        --l.in_flight;
        l.lost = l.lost || t.result.session_lost;
      }
    if (t.claim)
      pass_on_claim(t);
    go_on(); // the session first: what follows can wait
    settled_rows over;
    over.ends.reserve(t.ends.size());
    over.results.reserve(t.ends.size());
    for (std::size_t i = 0; i < t.ends.size(); ++i)
      sort_out(t.ends[i], t.result.settlements[i], false, over);
    for (std::size_t i = 0; i < t.read_back.size(); ++i)
      sort_out(t.read_back[i], t.result.read_backs[i], true, over);
    if (!over.ends.empty())
      tell(self_, work_, std::move(over));
    go_on();
  }

  void pass_on_claim(const trip_done& t) {
    if (t.result.claim && !*t.result.claim)
      tell(self_, asks_, claim_failed{*t.claim, t.result.claim->error()});
    else
      tell(self_, asks_,
           claimed{*t.claim, t.claim_asked, t.claim_rows, t.first_due});
  }

  /// A result is final, or the settlement goes on: read back when its outcome
  /// is unknown, written when the read-back found it was not, tried again
  /// while its lease runs when the reason passes.
  void sort_out(settlement& end, settled& result, bool read_back,
                settled_rows& over) {
    using how = settled::how;
    const auto number = end.delivery;
    const bool passing = result.went == how::failed && result.why
                         && result.why->is_retryable();
    if (result.went == how::unknown)
      put_aside({std::move(end), true, ++tries_[number]});
    else if (result.went == how::held)
      batch_->add(std::move(end));
    else if (passing && may_try_again(end))
      put_aside({std::move(end), read_back, ++tries_[number]});
    else {
      if (!tries_.empty())
        tries_.erase(number);
      over.ends.push_back(std::move(end));
      over.results.push_back(std::move(result));
    }
  }

  /// While the lease runs nobody else takes the row, and a token that is gone
  /// makes the write change nothing.
  bool may_try_again(const settlement& end) const {
    return end.held && settings_.clock() < end.held->locked_until;
  }

  void put_aside(again a) {
    const auto random = std::uniform_real_distribution<>{}(random_);
    const auto wait = retry_wait.delay(a.tries, random);
    aside_.push_back(std::move(a));
    if (!ticking_) {
      ticking_ = true;
      tell_after(self_, settler{self_}, wait, tick{});
    }
  }

  void on_tick() {
    ticking_ = false;
    for (auto& a : std::exchange(aside_, {}))
      if (a.read_back)
        batch_->add_read_back(std::move(a.end));
      else
        batch_->add(std::move(a.end));
    go_on();
  }

  static constexpr std::uint64_t settle_ticket = 1;
  static constexpr std::uint64_t claim_ticket = 2;
  /// Then a session goes back, so that others get their turn (B18).
  static constexpr std::uint32_t trips_on_loan = 8;

  settler::pointer self_;
  settler_settings settings_;
  session_pool pool_;
  supervisor work_;
  claimer asks_;
  std::optional<settlement_batch> batch_;
  std::vector<loan> loans_;
  bool settle_asked_ = false;
  bool claim_asked_ = false;
  bool ticking_ = false;
  bool going_ = false; ///< a `leave` is under way
  std::vector<again> aside_;
  std::map<delivery_number, std::uint32_t> tries_;
  std::mt19937_64 random_{std::random_device{}()};
};

} // namespace

settler spawn_settler(caf::actor_system& sys, settler_settings settings,
                      session_pool pool, supervisor work) {
  return spawn_state<settler_state>(sys, std::move(settings), std::move(pool),
                                    std::move(work));
}

} // namespace inbox::actors
