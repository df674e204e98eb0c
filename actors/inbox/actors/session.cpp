#include "inbox/actors/session.hpp"

#include "inbox/low_mark.hpp"

namespace inbox::actors {

void live_count::add() {
  const std::lock_guard lock{mutex_};
  ++count_;
}

void live_count::remove() {
  const std::lock_guard lock{mutex_};
  if (--count_ == 0)
    none_.notify_all();
}

bool live_count::wait_for_none(duration at_most) {
  std::unique_lock lock{mutex_};
  return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

namespace {

/// Runs what it is sent, one after another, blocking in the driver alone.
class session_state {
public:
  using interface_type = session;
  static inline const char* name = "inbox.session";

  explicit session_state(session::pointer self) : self_{self} {}

  ~session_state() {
    connection_.reset();
    if (place_.live)
      place_.live->remove();
  }

  session::behavior_type start(session_place place,
                               std::shared_ptr<connection> on,
                               clock_source clock) {
    place_ = std::move(place);
    connection_ = std::move(on);
    clock_ = std::move(clock);
    return {
      [this](open_session) { open(); },
      [this](run_trip& r) { run(r); },
      [this](const run_job& r) { run(r); },
      [this](close_session) { close(); },
    };
  }

private:
  void open() {
    tell(self_, place_.owner,
         session_opened{place_.slot, place_.generation, connection_->open()});
  }

  void run(run_trip& r) {
    trip_done done;
    done.loan = r.loan;
    done.claim = r.request.claim;
    done.since = steady_now(self_);
    done.result = connection_->run(r.request, clock_());
    done.ends = std::move(r.request.settlements);
    done.extended = std::move(r.request.extensions);
    done.read_back = std::move(r.request.read_backs);
    hand_on_rows(r, done);
    tell(self_, r.asks, std::move(done));
  }

  /// Rows travel on their own, ahead of their count.
  void hand_on_rows(const run_trip& r, trip_done& done) {
    auto& claim = done.result.claim;
    if (!claim || !*claim)
      return;
    done.claim_asked = (*claim)->asked;
    done.claim_rows = static_cast<std::uint32_t>((*claim)->rows->size());
    done.first_due = first_due(**claim, r.request.statements->description());
    if (done.claim_rows > 0)
      tell(self_, r.sink,
           arrived{std::move(**claim), done.since, permit_for(r, done)});
    claim.reset();
  }

  std::optional<permit> permit_for(const run_trip& r,
                                   const trip_done& done) const {
    if (r.request.statements->description().kind() != form::row_lock)
      return std::nullopt;
    return permit{done.claim->number, done.claim_rows, connection_,
                  place_.waiting};
  }

  void run(const run_job& r) {
    r.job(connection_.get(), nullptr);
    tell(self_, place_.owner, give_back{r.loan, !connection_->is_lost()});
  }

  void close() {
    connection_.reset();
    self_->quit();
  }

  session::pointer self_;
  session_place place_;
  std::shared_ptr<connection> connection_;
  clock_source clock_;
};

} // namespace

session spawn_session(caf::actor_system& sys, session_place place,
                      std::shared_ptr<connection> on, clock_source clock) {
  place.live->add(); // here, so that nobody misses it
  return spawn_state<session_state, caf::detached>(
    sys, std::move(place), std::move(on), std::move(clock));
}

session spawn_cooperative_session(caf::actor_system& sys, session_place place,
                                  std::shared_ptr<connection> on,
                                  clock_source clock) {
  place.live->add();
  return spawn_state<session_state>(sys, std::move(place), std::move(on),
                                    std::move(clock));
}

} // namespace inbox::actors
