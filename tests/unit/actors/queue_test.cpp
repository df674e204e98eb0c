#define CAF_SUITE queue
#include "queue_fixture.hpp"

#include "inbox/test/random.hpp"

using namespace inbox;

namespace {

constexpr form both_forms[] = {form::lease, form::row_lock};

struct fixture : test::queue_fixture {
  void check_each_settled_once(std::int64_t first, std::int64_t last) {
    const auto counts = table->settled_counts();
    CAF_CHECK_EQUAL(counts.size(), static_cast<std::size_t>(last - first + 1));
    for (const auto& [id, lines] : counts)
      if (lines != 1)
        CAF_ERROR("row " << id << " was settled " << lines << " times");
  }

  /// Something goes wrong with the database.
  void disturb(test::random& any) {
    switch (any.below(8)) {
      case 0: table->fail_next_trip({errc::connection_lost, "cut"}); break;
      case 1: table->fail_next_trip({errc::busy, "locked"}); break;
      case 2: table->fail_next_trip({errc::conflict, "deadlock"}); break;
      case 3: table->lose_next_commit(true); break;
      case 4: table->lose_next_commit(false); break;
      case 5:
        table->fail_opens(any.below(4), {errc::connect, "no listener"});
        table->fail_next_trip({errc::connection_lost, "cut"});
        break;
      case 6: table->fail_next_trip({errc::statement, "refused"}); break;
      default: break;
    }
  }

  test::scripted_answer any_answer(test::random& any) {
    const auto takes = any.chance(5) ? 1ms * any.below(25'000)
                                     : 1ms * any.below(200);
    switch (any.below(6)) {
      case 0: return {retry(), takes};
      case 1: return {retry_after(1ms * any.below(3000)), takes};
      case 2: return {drop(), takes};
      default: return {ack(), takes};
    }
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(queue_tests, fixture)

CAF_TEST(every row is claimed handled and settled once in both forms) {
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) { s.workers = 4; });
    table->insert_ids(1, 500);
    queue->wake();
    advance(10s);
    CAF_CHECK_EQUAL(table->size(), 0u);
    check_each_settled_once(1, 500);
    const auto s = queue->snapshot();
    CAF_CHECK_EQUAL(s.claimed, 500u);
    CAF_CHECK_EQUAL(s.acked, 500u);
    CAF_CHECK_EQUAL(s.held, 0u);
    drain();
    advance(10ms);
    CAF_CHECK_EQUAL(ended, 1);
    ended = 0;
    CAF_CHECK_EQUAL(stop(), 0u);
    CAF_CHECK_EQUAL(table->connections(), 0u);
  }
}

CAF_TEST(C-120 to C-126 each outcome ends its row as it should) {
  for (const auto kind : both_forms) {
    handle = [](const message& m) -> test::scripted_answer {
      if (m.payload == "drop")
        return {drop()};
      if (m.payload == "retry")
        return {m.attempt < 2 ? retry() : ack()};
      if (m.payload == "later")
        return {m.attempt < 2 ? retry_after(300ms) : ack()};
      return {m.payload == "never" ? retry() : ack()};
    };
    start(kind, [](auto& s) {
      s.max_attempts = 3;
      s.dead_letter = "dead";
    });
    table->insert({.id = 1, .payload = "drop"});
    table->insert({.id = 2, .payload = "retry"});
    table->insert({.id = 3, .payload = "later"});
    table->insert({.id = 4, .payload = "never"});
    calls = 0;
    queue->wake();
    advance(3s);
    CAF_CHECK_EQUAL(calls, 1u + 2u + 2u + 3u);
    std::map<std::int64_t, event> ends;
    for (const auto& l : table->audit())
      ends[l.id] = l.what;
    CAF_CHECK(ends[1] == event::discard);
    CAF_CHECK(ends[2] == event::ack);
    CAF_CHECK(ends[3] == event::ack);
    CAF_CHECK(ends[4] == event::dead_letter);
    stop();
  }
}

CAF_TEST(C-153 a handler much longer than its lease is called once) {
  handle = [](const message&) { return test::scripted_answer{ack(), 10min}; };
  start(form::lease, [](auto& s) { s.lease = 10s; });
  table->insert_ids(1, 1);
  queue->wake();
  advance(11min);
  CAF_CHECK_EQUAL(calls, 1u);
  CAF_CHECK_EQUAL(table->size(), 0u);
}

CAF_TEST(C-260 a wake is served at once although the poll is an hour away) {
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) { s.poll_interval = 1h; });
    advance(1min);
    table->insert_ids(1, 1);
    queue->wake();
    advance(20ms);
    CAF_CHECK_EQUAL(table->size(), 0u);
    stop();
  }
}

CAF_TEST(a drain gives back what never started and finishes what runs) {
  handle = [](const message&) { return test::scripted_answer{ack(), 5s}; };
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) { s.workers = 3; });
    table->insert_ids(1, 60);
    queue->wake();
    advance(7s);
    drain();
    advance(10s);
    CAF_CHECK_EQUAL(ended, 1);
    ended = 0;
    CAF_CHECK_EQUAL(table->audit().size(), 6u);
    for (std::int64_t id = 1; id <= 60; ++id)
      if (const auto row = table->find(id)) {
        CAF_CHECK_EQUAL(row->attempt, 1);
        CAF_CHECK(!row->locked_until);
      }
    CAF_CHECK_EQUAL(table->size(), 54u);
    CAF_CHECK_EQUAL(stop(), 0u);
  }
}

CAF_TEST(B70 a queue whose handlers never answer ends after its grace) {
  handle = [](const message&) { return test::scripted_answer{ack(), 30min}; };
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) {
      s.workers = 2;
      s.drain_timeout = 5s;
    });
    table->insert_ids(1, 2);
    queue->wake();
    advance(1s);
    drain();
    advance(8s + 50ms);
    CAF_CHECK_EQUAL(ended, 1);
    ended = 0;
    running.clear();
    CAF_CHECK(!table->find(1)->locked_until);
    CAF_CHECK_EQUAL(table->size(), 2u);
    stop();
  }
}

CAF_TEST(a row that cannot be settled does not keep the others out) {
  for (const auto kind : both_forms) {
    start(kind);
    table->refuse_id(1, failure{errc::constraint, "another row refers to it"});
    table->insert_ids(1, 200);
    queue->wake();
    advance(5s);
    CAF_MESSAGE(to_string(kind) << ": left " << table->size());
    CAF_CHECK_EQUAL(table->size(), 1u);
    stop();
  }
}

CAF_TEST(B65 an outage of ten minutes loses nothing and logs little) {
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) { s.workers = 4; });
    handle = [](const message&) { return test::scripted_answer{ack(), 50ms}; };
    table->insert_ids(1, 1000);
    queue->wake();
    advance(2s);
    const auto lines = log.count(log_level::warning);
    table->fail_opens(1'000'000, {errc::connect, "the server restarts"});
    table->fail_trips(failure{errc::connection_lost, "the server restarts"});
    advance(10min);
    table->fail_opens(0, {errc::connect, ""});
    table->fail_trips(std::nullopt);
    CAF_MESSAGE("lines: " << log.count(log_level::warning) - lines);
    CAF_CHECK(log.count(log_level::warning) - lines <= 25);
    advance(2min);
    CAF_CHECK_EQUAL(table->size(), 0u);
    check_each_settled_once(1, 1000);
    stop();
  }
}

CAF_TEST(whatever fails every row is settled exactly once) {
  test::random any;
  for (const auto kind : both_forms) {
    handle = [&](const message&) { return any_answer(any); };
    start(kind, [](auto& s) {
      s.workers = 8;
      s.lease = 10s;
    });
    std::int64_t rows = 0;
    for (int step = 0; step < 1000; ++step) {
      if (any.chance(20)) {
        table->insert_ids(rows + 1, rows + 10);
        rows += 10;
        if (any.chance(50))
          queue->wake();
      }
      if (any.chance(15))
        disturb(any);
      advance(1ms * any.below(1000));
    }
    table->fail_opens(0, {errc::connect, ""});
    advance(10min);
    CAF_MESSAGE(to_string(kind)
                << ": " << rows << " rows, " << calls << " calls");
    CAF_CHECK_EQUAL(table->size(), 0u);
    check_each_settled_once(1, rows);
    CAF_CHECK_EQUAL(queue->snapshot().held, 0u);
    drain();
    advance(2s);
    CAF_CHECK_EQUAL(ended, 1);
    ended = 0;
    CAF_CHECK_EQUAL(stop(), 0u);
    CAF_CHECK_EQUAL(table->connections(), 0u);
  }
}

CAF_TEST(idle hours cost one claim a second and pile up nothing) {
  for (const auto kind : both_forms) {
    start(kind, [](auto& s) { s.workers = 4; });
    advance(3h);
    const auto claims = queue->snapshot().claims;
    CAF_CHECK(claims >= 10'700 && claims <= 10'801);
    CAF_CHECK(timers() <= 3);
    stop();
  }
}

CAF_TEST_FIXTURE_SCOPE_END()
