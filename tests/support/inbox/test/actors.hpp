#pragma once

// What every test of actors includes, after it has named its CAF_SUITE: the
// test coordinator under virtual time. Never included by a header.

#include <caf/test/dsl.hpp>

// Macros in lower case that would meet names of our own.
#undef allow
#undef disallow
#undef expect
#undef inject

#include <ostream>

#include "inbox/actors/protocol.hpp"
#include "inbox/actors/session_pool.hpp"
#include "inbox/test/scripted_connection.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

/// What is armed on a test clock; the clock itself does not tell.
class armed_timers : caf::detail::test_actor_clock {
public:
  static std::size_t count(const test_actor_clock& c) {
    return (c.*(&armed_timers::schedule_)).size();
  }
  static std::optional<time_point> next(const test_actor_clock& c) {
    const auto& all = c.*(&armed_timers::schedule_);
    return all.empty() ? std::nullopt : std::optional{all.begin()->first};
  }
};

/// Entries logged, for tests of what is told. Any thread.
class log_book {
public:
  log_sink sink() {
    return [this](const log_entry& e) {
      const std::lock_guard lock{mutex_};
      entries_.push_back(e);
    };
  }
  std::vector<log_entry> entries() const {
    const std::lock_guard lock{mutex_};
    return entries_;
  }
  std::size_t count(log_level at_least) const {
    std::size_t n = 0;
    for (const auto& e : entries())
      n += e.level >= at_least ? 1 : 0;
    return n;
  }
  std::size_t count(std::string_view text) const {
    std::size_t n = 0;
    for (const auto& e : entries())
      n += e.text.find(text) != std::string::npos ? 1 : 0;
    return n;
  }

private:
  mutable std::mutex mutex_;
  std::vector<log_entry> entries_;
};

/// Actors under a clock that the test moves.
class actor_fixture : public test_coordinator_fixture<> {
public:
  actor_fixture()
    : started_{sched.clock().current_time}, alive_{sys.registry().running()} {}

  ~actor_fixture() override {
    for (const auto& a : ours_)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    ours_.clear();
    messages();
    sched.trigger_timeouts();
    messages();
  }

  /// Ends with the fixture.
  template <class Actor>
  Actor keep(Actor a) {
    ours_.push_back(caf::actor_cast<caf::actor>(a));
    return a;
  }

  /// Sends a message to an actor under test and lets all of them react.
  template <class To, class Message>
  void send(const To& to, Message m) {
    caf::anon_send(to, std::move(m));
    messages();
  }

  /// Runs every message there is, and those that follow; no timer.
  void messages() { consume_messages(); }

  /// Moves the clock, firing each timer at its instant.
  void advance(duration by) {
    auto& clock = sched.clock();
    const auto until = clock.current_time + by;
    messages();
    for (auto due = armed_timers::next(clock); due && *due <= until;
         due = armed_timers::next(clock)) {
      clock.advance_time(
        std::max(*due - clock.current_time, caf::timespan::zero()));
      messages();
    }
    clock.advance_time(until - clock.current_time);
    messages();
  }

  /// Virtual time since the start.
  duration elapsed() const {
    return std::chrono::duration_cast<duration>(sched.clock().current_time
                                                - started_);
  }

  actors::instant steady() const { return sched.clock().current_time; }

  /// A wall clock that goes with the virtual one.
  clock_source wall() const {
    return [this] {
      return time_point{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}
             + elapsed();
    };
  }

  /// Actors alive beside those that were there at the start.
  std::size_t alive() { return sys.registry().running() - alive_; }

  std::size_t timers() const { return armed_timers::count(sched.clock()); }

  log_book log;

private:
  std::chrono::steady_clock::time_point started_;
  std::size_t alive_;
  std::vector<caf::actor> ours_;
};

} // namespace inbox::test
