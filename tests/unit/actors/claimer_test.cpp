#define CAF_SUITE claimer
#include "inbox/test/actors.hpp"

#include "inbox/actors/claimer.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

/// A carrier that keeps the claims it is asked to make.
struct carrier_log {
  std::vector<want> wants;
  int drains = 0;
};

struct fixture : test::actor_fixture {
  void start(claim_loop::settings loop, bool marks = false) {
    carrier = keep(sys.spawn(
      [](claim_carrier::pointer,
         carrier_log* to) -> claim_carrier::behavior_type {
        return {[to](const want& w) { to->wants.push_back(w); },
                [to](drain) { ++to->drains; }};
      },
      &heard));
    claims = keep(spawn_claimer(
      sys, {"emails", loop, marks, log.sink(), counters}, carrier));
  }

  /// Answers the oldest claim that was asked for.
  void answer(std::uint32_t rows, std::optional<time_point> first_due = {}) {
    const auto w = take();
    send(claims, claimed{w.order, w.order.limit, rows, first_due});
  }

  void fail() {
    const auto w = take();
    send(claims, claim_failed{w.order, {errc::busy, "the table is locked"}});
  }

  want take() {
    CAF_REQUIRE(!heard.wants.empty());
    auto w = heard.wants.front();
    heard.wants.erase(heard.wants.begin());
    return w;
  }

  std::shared_ptr<queue_counters> counters = std::make_shared<queue_counters>();
  carrier_log heard;
  claim_carrier carrier;
  claimer claims;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(claimer_tests, fixture)

CAF_TEST(nothing is claimed without credit) {
  start({});
  advance(1min);
  CAF_CHECK(heard.wants.empty());
  send(claims, credit{3});
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  CAF_CHECK_EQUAL(heard.wants[0].order.limit, 3u);
}

CAF_TEST(C-115 a failed claim pauses one second whatever the poll interval) {
  for (const auto poll : {duration{20ms}, duration{1h}}) {
    start({.poll_interval = poll});
    send(claims, credit{1});
    fail();
    send(claims, wake{});
    send(claims, credit{5});
    advance(999ms);
    CAF_CHECK(heard.wants.empty());
    advance(1ms);
    CAF_CHECK_EQUAL(heard.wants.size(), 1u);
    heard.wants.clear();
  }
}

CAF_TEST(a run of failed claims writes one line to the log) {
  start({});
  send(claims, credit{1});
  for (int n = 0; n < 10; ++n) {
    fail();
    advance(1s);
  }
  CAF_CHECK_EQUAL(log.count(log_level::error), 1u);
  CAF_CHECK_EQUAL(counters->failed_claims.load(), 10u);
  answer(0);
  advance(1s);
  fail();
  CAF_CHECK_EQUAL(log.count(log_level::error), 2u);
}

CAF_TEST(C-230 a full claim is followed at once and a short one by the poll) {
  start({.poll_interval = 2s, .most = 10});
  send(claims, credit{25});
  answer(10);
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  answer(4);
  advance(1999ms);
  CAF_CHECK(heard.wants.empty());
  advance(1ms);
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  CAF_CHECK_EQUAL(heard.wants[0].order.limit, 10u);
}

CAF_TEST(C-230 a wake ends the wait) {
  start({.poll_interval = 1h});
  send(claims, credit{5});
  answer(0);
  advance(1min);
  CAF_CHECK(heard.wants.empty());
  send(claims, wake{});
  CAF_CHECK_EQUAL(heard.wants.size(), 1u);
}

CAF_TEST(C-262 a wake that comes during a claim is answered by another) {
  start({.poll_interval = 1h});
  send(claims, credit{5});
  send(claims, wake{});
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  answer(0);
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  answer(0);
  CAF_CHECK(heard.wants.empty());
}

CAF_TEST(claims of a full queue begin at a mark) {
  constexpr time_point due{1h};
  start({.most = 2, .allowed = 1}, true);
  send(claims, credit{6});
  CAF_CHECK(!heard.wants.at(0).order.since);
  answer(2, due);
  CAF_CHECK(heard.wants.at(0).order.since == due);
  // Short, but below the mark there may be more.
  answer(1, due + 1s);
  CAF_REQUIRE_EQUAL(heard.wants.size(), 1u);
  CAF_CHECK(!heard.wants[0].order.since);
  answer(0);
  CAF_CHECK(heard.wants.empty());
}

CAF_TEST(no mark is used first after a wake) {
  start({.most = 2, .allowed = 1}, true);
  send(claims, credit{6});
  send(claims, wake{});
  answer(2, time_point{1h});
  CAF_CHECK(!heard.wants.at(0).order.since);
}

CAF_TEST(the limits in flight never exceed the credit) {
  start({.most = 10, .allowed = 4});
  send(claims, credit{24});
  answer(10);
  std::uint32_t promised = 0;
  for (const auto& w : heard.wants)
    promised += w.order.limit;
  CAF_CHECK_EQUAL(promised, 14u);
  CAF_CHECK_EQUAL(heard.wants.size(), 2u);
}

CAF_TEST(wakes beyond count leave one timer) {
  start({.poll_interval = 1h});
  send(claims, credit{5});
  answer(0);
  for (int n = 0; n < 1000; ++n) {
    send(claims, wake{});
    answer(0);
    advance(1ms);
  }
  CAF_CHECK_EQUAL(timers(), 1u);
  advance(1h - 2ms);
  CAF_CHECK(heard.wants.empty());
  advance(2ms);
  CAF_CHECK_EQUAL(heard.wants.size(), 1u);
}

CAF_TEST(a drain tells the carrier and ends with the claim in flight) {
  start({});
  send(claims, credit{5});
  send(claims, drain{});
  CAF_CHECK_EQUAL(heard.drains, 1);
  CAF_CHECK_EQUAL(alive(), 2u);
  answer(5);
  CAF_CHECK_EQUAL(alive(), 1u);
  CAF_CHECK(heard.wants.empty());
}

CAF_TEST(a drain of an idle claimer ends it at once) {
  start({.poll_interval = 1h});
  send(claims, credit{5});
  answer(0);
  send(claims, drain{});
  CAF_CHECK_EQUAL(alive(), 1u);
}

CAF_TEST_FIXTURE_SCOPE_END()
