#define CAF_SUITE supervisor
#include "inbox/test/fakes.hpp"

#include "supervisor_fixture.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

const failure handler_threw{errc::handler_failed, "the handler threw"};

struct fixture : test::supervisor_fixture {
  static void cap_at_three(subscription_settings& s) {
    s.max_attempts = 3;
    s.dead_letter = "dead";
  }
  static change policy(failure_policy p) {
    return [p](subscription_settings& s) { s.on_decode_failure = p; };
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(supervisor_tests, fixture)

CAF_TEST(credit is given for as many rows as there are workers at first) {
  start(form::lease, [](auto& s) { s.workers = 4; });
  CAF_CHECK_EQUAL(credit_given(), 4u);
  arrive_fresh(1, 4);
  CAF_CHECK_EQUAL(calls().size(), 4u);
  CAF_CHECK_EQUAL(credit_given(), 4u);
  answer(ack());
  CAF_CHECK_EQUAL(credit_given(), 5u);
}

CAF_TEST(rows are held before any of them can end) {
  start();
  arrive_fresh(1, 1);
  CAF_REQUIRE_EQUAL(holds.size(), 1u);
  CAF_CHECK_EQUAL(holds[0].rows.size(), 1u);
  CAF_CHECK(holds[0].rows[0].held.has_value());
}

CAF_TEST(C-120 ack and drop each finish their row once) {
  start(form::lease, [](auto& s) { s.workers = 2; });
  arrive_fresh(1, 2);
  answer(ack());
  answer(drop());
  CAF_CHECK(write().what == event::ack);
  CAF_CHECK(write().what == event::discard);
  CAF_CHECK(ends.empty());
  CAF_CHECK_EQUAL(counters->acked.load(), 1u);
  CAF_CHECK_EQUAL(counters->dropped.load(), 1u);
}

CAF_TEST(C-121 a retry is claimed again without waiting for the poll) {
  start();
  arrive_fresh(1, 1);
  answer(retry());
  CAF_CHECK_EQUAL(wakes, 0);
  CAF_CHECK(write().what == event::retry);
  CAF_CHECK_EQUAL(wakes, 1);
}

CAF_TEST(C-122 a delayed retry wakes the claimer when it is due) {
  start();
  arrive_fresh(1, 1);
  answer(retry_after(300ms));
  const auto end = write();
  CAF_CHECK(end.what == event::retry_after);
  CAF_CHECK(end.delay == 300ms);
  advance(299ms);
  CAF_CHECK_EQUAL(wakes, 0);
  advance(30ms);
  CAF_CHECK_EQUAL(wakes, 1);
}

CAF_TEST(delayed retries share their timers) {
  start(form::lease, [](auto& s) {
    s.workers = 1;
    s.poll_interval = 2h;
  });
  for (std::int64_t id = 1; id <= 500; ++id) {
    arrive_fresh(id, id);
    answer(retry_after(1h));
    write();
  }
  CAF_MESSAGE("timers armed: " << timers());
  CAF_CHECK(timers() <= 5);
  advance(1h + 30ms);
  CAF_CHECK(wakes >= 1 && wakes <= 3);
}

CAF_TEST(C-124 the attempt is the one from before the claim) {
  start();
  arrive({{.id = 1, .attempt = 1}});
  CAF_CHECK(calls()[0].row->attempt() == 1u);
  CAF_CHECK(holds[0].rows[0].held->attempt == 2);
}

CAF_TEST(C-126 the cap moves the row at the last failing delivery) {
  start(form::lease, cap_at_three);
  arrive({{.id = 1, .attempt = 2}});
  answer(retry());
  CAF_CHECK(write().what == event::retry);
  arrive({{.id = 1, .attempt = 3}});
  answer(retry_after(1s));
  CAF_CHECK(write().what == event::dead_letter);
  CAF_CHECK_EQUAL(counters->dead_lettered.load(), 1u);
  CAF_CHECK_EQUAL(log.count("last attempt"), 1u);
}

CAF_TEST(C-126 an ack at the cap is an ack) {
  start(form::lease, cap_at_three);
  arrive({{.id = 1, .attempt = 3}});
  answer(ack());
  CAF_CHECK(write().what == event::ack);
}

CAF_TEST(B74 a row past its cap is moved without its handler) {
  start(form::lease, cap_at_three);
  arrive({{.id = 1, .attempt = 4}});
  CAF_CHECK(calls().empty());
  CAF_CHECK(write().what == event::dead_letter);
}

CAF_TEST(C-133 an id in work is not started a second time) {
  start(form::lease, [](auto& s) { s.workers = 3; });
  arrive_fresh(1, 1);
  arrive_fresh(1, 2);
  CAF_REQUIRE_EQUAL(calls().size(), 2u);
  CAF_CHECK_EQUAL(id_of(1), 2);
  answer(ack());
  CAF_CHECK_EQUAL(calls().size(), 1u);
  write(settled::how::lost);
  CAF_REQUIRE_EQUAL(calls().size(), 2u);
  CAF_CHECK_EQUAL(id_of(1), 1);
}

CAF_TEST(C-140 rows that do not read go by the decode policy unhandled) {
  using kind = failure_policy::kind;
  const struct {
    failure_policy policy;
    event end;
  } cases[] = {{{kind::drop, {}, {}}, event::discard},
               {{kind::skip, {}, {}}, event::ack},
               {{kind::retry, {}, {}}, event::retry},
               {{kind::retry_after, 5s, {}}, event::retry_after}};
  for (const auto& c : cases) {
    start(form::lease, policy(c.policy));
    arrive({{.id = 1, .bad = true}, {.id = 2}});
    CAF_REQUIRE_EQUAL(calls().size(), 1u);
    CAF_CHECK_EQUAL(id_of(0), 2);
    CAF_CHECK(write().what == c.end);
  }
}

CAF_TEST(C-140 bad rows do not wait for one another) {
  start(form::lease, [](auto& s) { s.workers = 2; });
  std::vector<test::scripted_row> rows{{.id = 1}};
  for (std::int64_t id = 2; id <= 50; ++id)
    rows.push_back({.id = id, .bad = true});
  arrive(rows);
  CAF_CHECK_EQUAL(ends.size(), 49u);
}

CAF_TEST(C-141 a row that does not decode counts up to its cap) {
  start(form::lease, [](auto& s) {
    cap_at_three(s);
    s.on_decode_failure = {failure_policy::kind::retry, {}, {}};
  });
  arrive({{.id = 1, .attempt = 3, .bad = true}});
  CAF_CHECK(write().what == event::dead_letter);
  CAF_CHECK_EQUAL(counters->undecodable.load(), 1u);
}

CAF_TEST(C-148 a decode policy of stop drains and reports the failure) {
  start(form::lease, policy(fail_fast));
  arrive({{.id = 1, .bad = true}});
  CAF_CHECK_EQUAL(stops, 1);
  CAF_CHECK(write().what == event::retry);
  CAF_REQUIRE_EQUAL(ended.size(), 1u);
  CAF_CHECK(ended[0].has_value());
}

CAF_TEST(a row whose id does not read is told and leaves its claim) {
  start(form::row_lock);
  arrive({{.id = -1}});
  CAF_REQUIRE_EQUAL(holds.size(), 1u);
  CAF_CHECK(holds[0].rows.empty());
  CAF_CHECK_EQUAL(log.count("its id does not read"), 1u);
  CAF_CHECK_EQUAL(credit_given(), 2u);
}

CAF_TEST(a failing handler's row is retried after the policy's backoff) {
  start();
  arrive_fresh(1, 1);
  answer(tl::make_unexpected(handler_threw));
  const auto end = write();
  CAF_CHECK(end.what == event::retry_after);
  CAF_CHECK(end.delay >= 900ms && end.delay <= 1100ms);
  CAF_CHECK_EQUAL(counters->failed.load(), 1u);
  CAF_CHECK_EQUAL(log.count("the handler failed"), 1u);
}

CAF_TEST(a failure policy of stop ends the queue with the failure) {
  start(form::lease, [](auto& s) { s.on_failure = fail_fast; });
  arrive_fresh(1, 1);
  answer(tl::make_unexpected(handler_threw));
  write();
  CAF_REQUIRE_EQUAL(ended.size(), 1u);
  CAF_CHECK(ended[0]->code() == errc::handler_failed);
}

CAF_TEST(a handler past its time is asked to end) {
  start(form::lease, [](auto& s) { s.timeout = 5s; });
  arrive_fresh(1, 1);
  advance(4900ms);
  CAF_CHECK(why(0) == stop_reason::none);
  advance(1s);
  CAF_CHECK(why(0) == stop_reason::timed_out);
  answer(ack());
  CAF_CHECK(write().what == event::ack);
  advance(2s);
  CAF_CHECK_EQUAL(timers(), 0u);
}

CAF_TEST(B19 the handler of a lost lease is told and nobody else is) {
  start(form::lease, [](auto& s) { s.workers = 2; });
  arrive_fresh(1, 2);
  send(work, leases_lost{{calls()[1].row->number()}});
  CAF_CHECK(why(0) == stop_reason::none);
  CAF_CHECK(why(1) == stop_reason::lease_lost);
}

CAF_TEST(a row whose lease is lost before its call began never runs) {
  start();
  workers->free = 2;
  arrive_fresh(1, 2);
  CAF_REQUIRE_EQUAL(calls().size(), 2u);
  calls()[1].unbegun = true;
  send(work, leases_lost{{calls()[1].row->number()}});
  CAF_CHECK_EQUAL(calls().size(), 1u);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK(write(settled::how::lost).what == event::unclaim);
  answer(ack());
  CAF_CHECK(write().id == value{1});
}

CAF_TEST(rows beyond the prefetch go back when the handlers became slow) {
  start(form::lease, [](auto& s) { s.prefetch = 3; });
  arrive_fresh(1, 5);
  advance(99ms);
  CAF_CHECK(ends.empty());
  advance(1ms);
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  for (const std::int64_t id : {4, 5}) {
    const auto end = write();
    CAF_CHECK(end.what == event::unclaim);
    CAF_CHECK(end.id == value{id});
  }
}

CAF_TEST(C-132 a row whose settlement failed is set aside for a second) {
  start();
  arrive_fresh(1, 1);
  answer(ack());
  write(settled::how::failed, failure{errc::constraint, "referred to"});
  arrive({{.id = 1, .attempt = 2}});
  advance(900ms);
  CAF_CHECK(calls().empty());
  advance(110ms);
  CAF_CHECK_EQUAL(calls().size(), 1u);
}

CAF_TEST(a row set aside leaves its credit to the rows behind it) {
  for (const auto kind : {form::lease, form::row_lock}) {
    credits.clear();
    start(kind);
    arrive_fresh(1, 1);
    answer(ack());
    write(settled::how::failed, failure{errc::constraint, "referred to"});
    CAF_CHECK_EQUAL(credit_given(), 2u);
    // The same row comes first again: its claim keeps it out of the next one.
    arrive({{.id = 1, .attempt = 2}});
    CAF_CHECK_EQUAL(credit_given(), 3u);
    arrive_fresh(2, 2);
    CAF_REQUIRE_EQUAL(calls().size(), 1u);
    CAF_CHECK_EQUAL(id_of(0), 2);
  }
}

CAF_TEST(B27 a crash suspect runs alone and its neighbours go back) {
  start(form::lease, [](auto& s) { s.workers = 4; });
  arrive({{.id = 1, .attempt = 2}, {.id = 2}, {.id = 3}});
  CAF_CHECK(calls().empty());
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  CAF_CHECK(write().what == event::unclaim);
  CAF_CHECK(write().what == event::unclaim);
  CAF_REQUIRE_EQUAL(calls().size(), 1u);
  CAF_CHECK_EQUAL(id_of(0), 1);
  const auto before = credit_given();
  advance(200ms);
  CAF_CHECK_EQUAL(credit_given(), before);
  advance(60ms);
  CAF_CHECK(credit_given() > before);
}

CAF_TEST(a row this process retried or failed to settle is no suspect) {
  start(form::lease, [](auto& s) { s.workers = 4; });
  arrive_fresh(1, 2);
  answer(retry());
  write();
  answer(ack());
  write(settled::how::failed, failure{errc::constraint, "referred to"});
  advance(1100ms);
  arrive({{.id = 1, .attempt = 2}, {.id = 2, .attempt = 2}});
  CAF_CHECK_EQUAL(calls().size(), 2u);
}

CAF_TEST_FIXTURE_SCOPE_END()
