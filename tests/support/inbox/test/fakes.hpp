#pragma once

// Actors that stand in for the neighbours of an actor under test: they keep
// what they hear and say what the test tells them to. Included after
// "inbox/test/actors.hpp".

#include <utility>

#include "inbox/test/actors.hpp"

namespace inbox::test {

/// Appends what comes of the types in `Interface` to vectors the test owns.
template <class Interface, class... Messages>
Interface spawn_recorder(caf::actor_system& sys,
                         std::vector<Messages>&... heard) {
  return sys.spawn(
    [](typename Interface::pointer, std::vector<Messages>*... to) ->
    typename Interface::behavior_type {
      return {[to](const Messages& m) { to->push_back(m); }...};
    },
    &heard...);
}

/// A pool that lends nothing until the test says so.
struct fake_pool {
  explicit fake_pool(actor_fixture& with) {
    using namespace actors;
    actor = with.keep(with.sys.spawn(
      [](session_pool::pointer, fake_pool* p) -> session_pool::behavior_type {
        return {[p](const borrow& b) { p->borrows.push_back(b); },
                [p](const withdraw& w) { p->withdrawn.push_back(w); },
                [p](give_back g) { p->returned.push_back(g); },
                [](const do_job&) {},
                [](const session_opened&) {},
                [](pool_tick) {},
                [](close_pool) {}};
      },
      this));
  }

  /// Takes out the oldest request.
  actors::borrow take() {
    CAF_REQUIRE(!borrows.empty());
    auto b = borrows.front();
    borrows.erase(borrows.begin());
    return b;
  }

  actors::session_pool actor;
  std::vector<actors::borrow> borrows;
  std::vector<actors::withdraw> withdrawn;
  std::vector<actors::give_back> returned;
};

/// A session that runs its trips when the test says so.
struct fake_session {
  fake_session(actor_fixture& with, std::shared_ptr<scripted_table> in)
    : with_{with}, on_{in->database()->connect()} {
    using namespace actors;
    actor = with.keep(with.sys.spawn(
      [](session::pointer, fake_session* s) -> session::behavior_type {
        return {[](open_session) {},
                [s](const run_trip& r) { s->waiting.push_back(r); },
                [](const run_job&) {}, [](close_session) {}};
      },
      this));
  }

  /// Lends itself in answer to a request.
  void lend(const actors::borrow& to, loan_number loan) {
    with_.send(to.asks, actors::lent{to.ticket, loan, actor});
  }

  /// Runs the oldest trip and tells its sender; a claim's rows come back.
  std::optional<claimed_rows> finish() {
    CAF_REQUIRE(!waiting.empty());
    auto r = waiting.front();
    waiting.erase(waiting.begin());
    actors::trip_done done;
    done.loan = r.loan;
    done.ends = r.request.settlements;
    done.extended = r.request.extensions;
    done.read_back = r.request.read_backs;
    done.claim = r.request.claim;
    done.since = with_.steady();
    done.result = on_->run(r.request, with_.wall()());
    std::optional<claimed_rows> rows;
    if (auto& claim = done.result.claim; claim && *claim) {
      done.claim_asked = (*claim)->asked;
      done.claim_rows = static_cast<std::uint32_t>((*claim)->rows->size());
      rows = **claim;
      claim.reset();
    }
    if (rows && before_done)
      before_done(*rows);
    with_.send(r.asks, std::move(done));
    return rows;
  }

  actors::session actor;
  std::vector<actors::run_trip> waiting;
  /// Called with a claim's rows before its sender hears of its end.
  std::function<void(const claimed_rows&)> before_done;

private:
  actor_fixture& with_;
  std::shared_ptr<connection> on_;
};

} // namespace inbox::test
