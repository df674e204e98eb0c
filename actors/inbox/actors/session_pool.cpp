#include "inbox/actors/session_pool.hpp"

#include <map>
#include <random>

namespace inbox::actors {

namespace {

class session_pool_state {
public:
  using interface_type = session_pool;
  static inline const char* name = "inbox.session_pool";

  explicit session_pool_state(session_pool::pointer self) : self_{self} {}

  session_pool::behavior_type start(session_pool_settings settings) {
    settings_ = std::move(settings);
    book_.emplace(settings_.book);
    slots_.resize(settings_.book.size);
    return {
      [this](const borrow& b) { on_borrow(b); },
      [this](const withdraw& w) { on_withdraw(w); },
      [this](give_back g) { on_give_back(g); },
      [this](const do_job& j) { on_job(j); },
      [this](const session_opened& s) { on_opened(s); },
      [this](pool_tick) { on_tick(); },
      [this](close_pool) { close(); },
    };
  }

private:
  /// One place in the pool and the session in it.
  struct slot {
    session actor;
    std::shared_ptr<connection> on;
    std::uint64_t generation = 0;
  };

  /// A request that waits for its session, or a loan under way.
  struct request {
    std::uint64_t ticket = 0;
    borrower asks;
    session_job job; ///< in place of a borrower
    std::optional<std::uint32_t> slot;
  };

  void on_borrow(const borrow& b) {
    requests_[book_->ask(b.purpose)] = {b.ticket, b.asks, {}, {}};
    follow();
  }

  void on_job(const do_job& j) {
    requests_[book_->ask(loan_purpose::other)] = {0, {}, j.job, {}};
    follow();
  }

  void on_withdraw(const withdraw& w) {
    for (const auto& [loan, r] : requests_)
      if (r.ticket == w.ticket && r.asks == w.asks && !r.slot) {
        if (book_->withdraw(loan))
          refuse_request(loan, failure{errc::closed, "the request was "
                                                     "withdrawn"});
        return;
      }
  }

  void on_give_back(give_back g) {
    const auto found = requests_.find(g.loan);
    if (found == requests_.end() || !found->second.slot)
      return;
    const auto at = *found->second.slot;
    requests_.erase(found);
    if (!g.usable)
      lose(at);
    book_->give_back(g.loan, g.usable, steady_now(self_), random());
    follow();
  }

  void on_opened(const session_opened& s) {
    if (s.generation != slots_[s.slot].generation)
      return;
    if (s.facts) {
      ++settings_.counters->open;
      tell_recovery();
      settings_.counters->note(s.facts->notes);
      book_->on_opened(s.slot);
    } else {
      tell_outage(s.facts.error());
      drop(s.slot);
      book_->on_lost(s.slot, steady_now(self_), random());
    }
    follow();
  }

  void on_tick() {
    ticking_ = false;
    follow();
  }

  /// Does what the book says. Refuses afterwards, so that the request that
  /// comes once a backoff has passed opens a session instead.
  void follow() {
    using kind = session_book::step::kind;
    const auto ended = [this](std::uint32_t at) {
      return slots_[at].on->has_ended();
    };
    for (const auto& step : book_->next(steady_now(self_), ended))
      switch (step.what) {
        case kind::lend: lend(step.loan, step.slot); break;
        case kind::open: open(step.slot); break;
        case kind::drop: lose(step.slot); break;
      }
    for (const auto loan : book_->take_refused())
      refuse_request(
        loan, outage_.value_or(failure{errc::connection_lost,
                                       "the database's sessions were lost"}));
    *waiting_ = book_->waiting();
    arm();
  }

  void lend(loan_number loan, std::uint32_t at) {
    auto& r = requests_[loan];
    r.slot = at;
    if (r.job)
      tell(self_, slots_[at].actor, run_job{loan, std::move(r.job)});
    else
      tell(self_, r.asks, lent{r.ticket, loan, slots_[at].actor});
  }

  void open(std::uint32_t at) {
    auto& s = slots_[at];
    s.on = settings_.database->connect();
    ++s.generation;
    s.actor = settings_.make_session({at, s.generation,
                                      caf::actor_cast<session_owner>(self_),
                                      settings_.counters->live, waiting_},
                                     s.on);
    tell(self_, s.actor, open_session{});
  }

  void lose(std::uint32_t at) {
    ++settings_.counters->lost;
    --settings_.counters->open;
    drop(at);
  }

  /// Ends the session of a place; another may be opened there. Lets go of the
  /// connection first: it has to close on its session's thread, before that
  /// session counts as ended.
  void drop(std::uint32_t at) {
    auto& s = slots_[at];
    s.on.reset();
    tell(self_, s.actor, close_session{});
    s.actor = nullptr;
  }

  void refuse_request(loan_number loan, const failure& why) {
    auto node = requests_.extract(loan);
    if (node.empty())
      return;
    if (node.mapped().job)
      node.mapped().job(nullptr, &why);
    else
      tell(self_, node.mapped().asks, not_lent{node.mapped().ticket, why});
  }

  void arm() {
    const auto due = book_->next_due();
    if (!due || ticking_)
      return;
    ticking_ = true;
    const auto wait = *due - steady_now(self_);
    tell_after(
      self_, session_pool{self_},
      std::max(std::chrono::duration_cast<duration>(wait), duration{1ms}),
      pool_tick{});
  }

  /// One line for each outage, one when it is over.
  void tell_outage(const failure& why) {
    if (!outage_ && settings_.log)
      settings_.log({log_level::error,
                     "no session with the database; trying again",
                     {{"error", why.to_string()}}});
    outage_ = why;
  }

  void tell_recovery() {
    if (outage_ && settings_.log)
      settings_.log({log_level::info,
                     "the database is reached again",
                     {{"database", settings_.database->description()}}});
    outage_.reset();
  }

  void close() {
    const failure why{errc::closed, "the service has stopped"};
    for (auto& [loan, r] : std::map{std::move(requests_)})
      if (r.slot)
        slots_[*r.slot].on->interrupt();
      else if (r.job)
        r.job(nullptr, &why);
      else
        tell(self_, r.asks, not_lent{r.ticket, why});
    for (std::uint32_t at = 0; at < slots_.size(); ++at)
      if (slots_[at].actor) {
        // An opening under way is cut short, too.
        slots_[at].on->interrupt();
        drop(at);
      }
    settings_.counters->open = 0;
    self_->quit();
  }

  double random() { return std::uniform_real_distribution<>{}(random_); }

  session_pool::pointer self_;
  session_pool_settings settings_;
  std::optional<session_book> book_;
  std::shared_ptr<std::atomic<std::uint32_t>> waiting_
    = std::make_shared<std::atomic<std::uint32_t>>(0);
  std::vector<slot> slots_;
  std::map<loan_number, request> requests_;
  std::optional<failure> outage_;
  bool ticking_ = false;
  std::mt19937_64 random_{std::random_device{}()};
};

} // namespace

session_pool spawn_session_pool(caf::actor_system& sys,
                                session_pool_settings settings) {
  return spawn_state<session_pool_state>(sys, std::move(settings));
}

} // namespace inbox::actors
