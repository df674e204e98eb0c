// What ends a call early: its time-outs, and an interruption.
#define CAF_SUITE sqlite_bounds
#include "inbox/test/unit.hpp"

#include <atomic>
#include <thread>

#include "file_fixture.hpp"
#include "foreign_lock.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

constexpr auto endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                         "SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// Long enough for SQLite to look at the clock.
constexpr auto short_scan = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                            "SELECT i + 1 FROM n LIMIT 2000) "
                            "SELECT count(*) FROM n";

/// No test waits for as long as that.
constexpr auto ages = duration{1h};

struct bounds : file_fixture {
  /// Sessions to be interrupted: at first before they wait, later while.
  std::vector<std::shared_ptr<connection>> sessions() const {
    std::vector<std::shared_ptr<connection>> all;
    for (int i = 0; i < 20; ++i)
      all.push_back(open());
    return all;
  }

  static void check_interrupted(connection& on, int yields) {
    std::thread other{[&] {
      for (int i = 0; i < yields; ++i)
        std::this_thread::yield();
      on.interrupt();
    }};
    CAF_CHECK(refusal(on.begin()).code() == errc::connection_lost);
    other.join();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(bounds_tests, bounds)

CAF_TEST(a write waits for a short lock) {
  pool_settings.sessions = {1ms, 30s, 20s};
  auto on = open();
  foreign_lock other{path};
  std::thread later{[&] { other.let_go(); }};
  unbox(on->begin());
  later.join();
  unbox(on->commit());
}

CAF_TEST(a statement that takes too long is ended and its session with it) {
  pool_settings.sessions.statement_timeout = 50ms;
  auto on = open();
  CAF_CHECK(refusal(on->execute(endless, {})).code() == errc::timed_out);
  CAF_CHECK(on->is_lost());
  CAF_CHECK(refusal(on->execute("SELECT 1", {})).code()
            == errc::connection_lost);
}

CAF_TEST(an interruption from another thread ends the call under way) {
  pool_settings.sessions.statement_timeout = 60s;
  auto on = open();
  std::atomic<bool> ended{false};
  std::thread other{[&] {
    // The call may not have begun yet: an interruption holds for later too.
    on->interrupt();
    while (!ended)
      std::this_thread::yield();
  }};
  CAF_CHECK(refusal(on->execute(endless, {})).code() == errc::connection_lost);
  ended = true;
  other.join();
  CAF_CHECK(on->is_lost());
}

CAF_TEST(an interruption may come while the session opens or closes) {
  for (int i = 0; i < 50; ++i) {
    auto on = unopened();
    std::thread other{[&] { on->interrupt(); }};
    on->open();
    other.join();
    CAF_CHECK(on->is_lost());
  }
}

CAF_TEST(an interruption ends a wait for a lock and for a turn at any moment) {
  pool_settings.sessions = {1s, ages, ages};
  const auto for_lock = sessions();
  const auto for_turn = sessions();
  {
    foreign_lock lock{path};
    for (std::size_t i = 0; i < for_lock.size(); ++i)
      check_interrupted(*for_lock[i], static_cast<int>(i) * 500);
  }
  const auto holder = open();
  unbox(holder->begin());
  for (std::size_t i = 0; i < for_turn.size(); ++i)
    check_interrupted(*for_turn[i], static_cast<int>(i) * 500);
}

CAF_TEST(a wait for a lock or for a turn ends with the time of its statement) {
  pool_settings.sessions = {1s, 50ms, ages};
  auto on = open();
  auto other = open();
  {
    foreign_lock lock{path};
    CAF_CHECK(refusal(on->begin()).code() == errc::busy);
  }
  unbox(on->begin());
  CAF_CHECK(refusal(other->begin()).code() == errc::busy);
}

CAF_TEST(opening waits for a lock no longer than for a connection) {
  pool_settings.sessions = {50ms, ages, ages};
  const auto on = unopened();
  foreign_lock lock{path};
  CAF_CHECK(refusal(on->open()).code() == errc::busy);
}

CAF_TEST(each call has its own time) {
  pool_settings.sessions.statement_timeout = 500ms;
  auto on = open();
  const auto until = std::chrono::steady_clock::now() + 700ms;
  while (std::chrono::steady_clock::now() < until)
    if (const auto ran = on->execute(short_scan, {}); !ran)
      CAF_FAIL(ran.error().to_string());
}

CAF_TEST(a trip that takes too long is ended and its session with it) {
  pool_settings.sessions.statement_timeout = 50ms;
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  execute(*on, "CREATE TRIGGER slow BEFORE UPDATE ON jobs WHEN ("
                 + std::string{endless} + ") > 0 BEGIN SELECT 1; END");
  trip request;
  request.statements = with;
  request.claim = claim_order{1, 1};
  const auto result = on->run(request, now);
  CAF_CHECK(refusal(*result.claim).code() == errc::timed_out);
  CAF_REQUIRE(result.session_lost.has_value());
  CAF_CHECK(result.session_lost->code() == errc::timed_out);
  CAF_CHECK(on->is_lost());
}

CAF_TEST_FIXTURE_SCOPE_END()
