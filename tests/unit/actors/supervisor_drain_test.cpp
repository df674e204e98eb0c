#define CAF_SUITE supervisor_drain
#include "inbox/test/fakes.hpp"

#include "supervisor_fixture.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct fixture : test::supervisor_fixture {
  /// Two handlers run, three rows wait.
  void start_busy(form kind = form::lease) {
    start(kind, [](auto& s) {
      s.workers = 2;
      s.drain_timeout = 5s;
    });
    arrive_fresh(1, 5);
    CAF_REQUIRE_EQUAL(calls().size(), 2u);
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(supervisor_drain_tests, fixture)

CAF_TEST(an idle queue ends at once) {
  start();
  send(work, drain_work{});
  CAF_CHECK_EQUAL(ended.size(), 1u);
  CAF_CHECK(!ended[0]);
}

CAF_TEST(rows never started go back as they were and handlers go on) {
  start_busy();
  send(work, drain_work{});
  CAF_REQUIRE_EQUAL(ends.size(), 3u);
  for (int n = 0; n < 3; ++n)
    CAF_CHECK(write().what == event::unclaim);
  CAF_CHECK_EQUAL(counters->given_back.load(), 3u);
  CAF_CHECK(why(0) == stop_reason::none);
  CAF_CHECK(ended.empty());
  answer(ack());
  answer(retry());
  CAF_CHECK(write().what == event::ack);
  CAF_CHECK(ended.empty());
  CAF_CHECK(write().what == event::retry);
  CAF_CHECK_EQUAL(ended.size(), 1u);
  CAF_CHECK_EQUAL(wakes, 0);
}

CAF_TEST(rows handed over and not begun go back as they were too) {
  start_busy();
  workers->free = 3;
  send(work, calls_ended{});
  CAF_REQUIRE_EQUAL(calls().size(), 5u);
  for (std::size_t n = 3; n < 5; ++n)
    calls()[n].unbegun = true;
  send(work, drain_work{});
  CAF_CHECK_EQUAL(calls().size(), 3u);
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  for (const std::int64_t id : {4, 5}) {
    const auto end = write();
    CAF_CHECK(end.what == event::unclaim);
    CAF_CHECK(end.id == value{id});
  }
}

CAF_TEST(rows that arrive while draining go straight back) {
  start_busy();
  send(work, drain_work{});
  ends.clear();
  arrive_fresh(10, 11);
  CAF_CHECK_EQUAL(ends.size(), 2u);
  CAF_CHECK_EQUAL(calls().size(), 2u);
}

CAF_TEST(B70 handlers are asked to end at the drain time-out) {
  start_busy();
  send(work, drain_work{});
  advance(4999ms);
  CAF_CHECK(why(0) == stop_reason::none);
  advance(1ms);
  CAF_CHECK(why(0) == stop_reason::draining);
  CAF_CHECK(why(1) == stop_reason::draining);
}

CAF_TEST(B70 a handler that gives up when asked spends no retry) {
  start_busy();
  send(work, drain_work{true});
  CAF_CHECK(why(0) == stop_reason::draining);
  ends.clear();
  answer(refuse(errc::handler_failed, "interrupted"));
  CAF_CHECK_EQUAL(counters->failed.load(), 0u);
  CAF_CHECK(write().what == event::retry);
}

CAF_TEST(B70 a handler that does not end is abandoned after the grace) {
  start_busy();
  send(work, drain_work{});
  while (!ends.empty())
    write();
  const auto stuck = calls()[0].row;
  advance(5s + 2999ms);
  CAF_CHECK(ends.empty());
  advance(1ms);
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  CAF_CHECK_EQUAL(log.count("did not end in time"), 2u);
  // Its outcome comes after all: its row has been given back.
  late_answer(*stuck, ack());
  CAF_CHECK_EQUAL(ends.size(), 2u);
  CAF_CHECK(write().what == event::retry);
  CAF_CHECK(write().what == event::retry);
  CAF_CHECK_EQUAL(ended.size(), 1u);
}

CAF_TEST(B70 a row lock is let go without a count) {
  start(form::row_lock, [](auto& s) { s.drain_timeout = 1s; });
  arrive_fresh(1, 1);
  send(work, drain_work{true});
  advance(3s);
  CAF_CHECK(write().what == event::unclaim);
  CAF_CHECK_EQUAL(ended.size(), 1u);
}

CAF_TEST(a second signal does not start the grace anew) {
  start_busy();
  send(work, drain_work{true});
  while (!ends.empty())
    write();
  advance(2s);
  send(work, drain_work{true});
  advance(1s);
  CAF_CHECK_EQUAL(ends.size(), 2u);
}

CAF_TEST(a row set aside delays the end by a second at most) {
  start();
  arrive_fresh(1, 1);
  answer(ack());
  send(work, drain_work{});
  write(settled::how::failed, failure{errc::constraint, "referred to"});
  advance(1100ms);
  CAF_CHECK_EQUAL(ended.size(), 1u);
}

CAF_TEST(nothing starts and no credit is given once it drains) {
  start_busy();
  send(work, drain_work{});
  const auto before = credit_given();
  answer(ack());
  while (!ends.empty())
    write();
  CAF_CHECK_EQUAL(credit_given(), before);
  CAF_CHECK_EQUAL(calls().size(), 1u);
}

CAF_TEST(a drain before the queue began ends it once it begins) {
  start();
  CAF_CHECK(ended.empty());
  send(work, drain_work{});
  send(work, drain_work{});
  CAF_CHECK_EQUAL(ended.size(), 1u);
  // The supervisor and the claimer are gone, the keeper stays.
  CAF_CHECK_EQUAL(alive(), 1u);
}

CAF_TEST_FIXTURE_SCOPE_END()
