#include "inbox/actors/row_lock_keeper.hpp"

#include <map>

namespace inbox::actors {

namespace {

class row_lock_keeper_state {
public:
  using interface_type = row_lock_keeper;
  static inline const char* name = "inbox.row_lock_keeper";

  explicit row_lock_keeper_state(row_lock_keeper::pointer self) : self_{self} {}

  row_lock_keeper::behavior_type start(shared_statements statements,
                                       session_pool pool, supervisor work) {
    statements_ = std::move(statements);
    pool_ = std::move(pool);
    work_ = std::move(work);
    return {
      [this](const want& w) { on_want(w); },
      [this](drain) { on_drain(); },
      [this](const hold& h) { on_hold(h); },
      [this](const finish& f) { on_finish(f); },
      [this](const lent& l) { on_lent(l); },
      [this](const not_lent& n) { on_not_lent(n); },
      [this](const trip_done& t) { on_done(t); },
    };
  }

private:
  /// A claim whose transaction is open, and the session it lives in.
  struct transaction {
    loan_number loan = 0;
    session on;
    std::vector<delivery_number> rows;
    std::vector<settlement> ends;
  };

  void on_want(const want& w) {
    asks_ = w.asks;
    waiting_[w.order.number] = w.order;
    tell(self_, pool_,
         borrow{w.order.number, loan_purpose::claim, borrower{self_}});
  }

  void on_drain() {
    for (const auto& [number, order] : waiting_)
      tell(self_, pool_, withdraw{number, borrower{self_}});
    draining_ = true;
  }

  void on_lent(const lent& l) {
    const auto order = waiting_.extract(l.ticket);
    if (order.empty() || draining_) {
      tell(self_, pool_, give_back{l.loan, true});
      if (!order.empty())
        tell(self_, asks_, claimed{order.mapped(), order.mapped().limit, 0});
      return;
    }
    // Known before the rows are out: the supervisor may hold them before this
    // actor hears that the claim is over.
    open_[l.ticket] = {l.loan, l.on, {}, {}};
    claim_on_[l.loan] = l.ticket;
    trip request;
    request.statements = statements_;
    request.claim = order.mapped();
    send(open_[l.ticket], std::move(request));
  }

  void on_not_lent(const not_lent& n) {
    const auto order = waiting_.extract(n.ticket);
    if (order.empty())
      return;
    if (draining_)
      tell(self_, asks_, claimed{order.mapped(), order.mapped().limit, 0});
    else
      tell(self_, asks_, claim_failed{order.mapped(), n.why});
  }

  void on_hold(const hold& h) {
    const auto found = open_.find(h.claim);
    if (found == open_.end())
      return;
    auto& t = found->second;
    forget(t); // a worker settled them on its permit
    for (const auto& r : h.rows) {
      t.rows.push_back(r.delivery);
      claim_of_[r.delivery] = h.claim;
    }
    if (h.rows.empty()) {
      trip request;
      request.statements = statements_;
      request.roll_back = true;
      send(t, std::move(request));
    }
  }

  /// The rows of one claim share its transaction, so they settle together,
  /// when the last of them ends (C-221).
  void on_finish(const finish& f) {
    for (const auto& end : f.ends) {
      const auto claim = claim_of_.extract(end.delivery);
      if (claim.empty())
        continue;
      auto& t = open_[claim.mapped()];
      t.ends.push_back(end);
      if (t.ends.size() < t.rows.size())
        continue;
      trip request;
      request.statements = statements_;
      request.settlements = std::move(t.ends);
      send(t, std::move(request));
    }
  }

  void forget(transaction& t) {
    for (const auto d : std::exchange(t.rows, {}))
      claim_of_.erase(d);
  }

  void send(const transaction& t, trip request) {
    tell(
      self_, t.on,
      run_trip{t.loan, std::move(request), borrower{self_}, row_sink{work_}});
  }

  void on_done(const trip_done& t) {
    bool keeps_rows = false;
    if (t.claim)
      keeps_rows = pass_on_claim(t);
    if (!t.ends.empty())
      tell(self_, work_, settled_rows{t.ends, t.result.settlements});
    if (keeps_rows)
      return;
    if (const auto claim = claim_on_.extract(t.loan); !claim.empty()) {
      forget(open_[claim.mapped()]);
      open_.erase(claim.mapped());
    }
    tell(self_, pool_, give_back{t.loan, !t.result.session_lost});
  }

  /// @returns true when the claim left rows locked.
  bool pass_on_claim(const trip_done& t) {
    if (t.result.claim && !*t.result.claim) {
      tell(self_, asks_, claim_failed{*t.claim, t.result.claim->error()});
      return false;
    }
    tell(self_, asks_,
         claimed{*t.claim, t.claim_asked, t.claim_rows, t.first_due});
    return t.claim_rows > 0;
  }

  row_lock_keeper::pointer self_;
  shared_statements statements_;
  session_pool pool_;
  supervisor work_;
  claimer asks_;
  std::map<std::uint64_t, claim_order> waiting_; ///< claims without a session
  std::map<std::uint64_t, transaction> open_;    ///< by claim
  std::map<loan_number, std::uint64_t> claim_on_;
  std::map<delivery_number, std::uint64_t> claim_of_;
  bool draining_ = false;
};

} // namespace

row_lock_keeper spawn_row_lock_keeper(caf::actor_system& sys,
                                      shared_statements statements,
                                      session_pool pool, supervisor work) {
  return spawn_state<row_lock_keeper_state>(sys, std::move(statements),
                                            std::move(pool), std::move(work));
}

} // namespace inbox::actors
