#define CAF_SUITE conformance_claims
#include "inbox/test/conformance.hpp"

#include <algorithm>

using namespace inbox;
using namespace inbox::test;

namespace {

/// Many rows in one statement, and so in one transaction.
void add_many(stand& s, int rows, const std::string& columns = "",
              const std::string& values = "") {
  s.db().run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
             "WHERE i < "
             + std::to_string(rows) + ") INSERT INTO " + s.name()
             + " (name, payload" + columns + ") SELECT 'emails', "
             + s.db().octets("") + values + " FROM n");
}

/// Of two claims in flight, which a lease on Postgres has, the later one's rows
/// may arrive first; within a claim nothing is out of order. A hundred steps
/// back would be no order at all.
void check_order(cell where, const std::vector<std::int64_t>& places) {
  int steps_back = 0;
  for (std::size_t i = 1; i < places.size(); ++i)
    steps_back += places[i] < places[i - 1];
  CAF_MESSAGE("steps back: " << steps_back);
  CAF_CHECK(steps_back <= (where == cell::postgres_lease ? 20 : 0));
}

} // namespace

CONFORMANCE("C-230", "full claims follow each other without a poll") {
  calls seen;
  stand s{where};
  add_many(s, 300);
  s.serve(s.queue({.workers = 2, .prefetch = 20, .poll_interval = 1h}),
          seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 300u);
  CHECK_SAME(s.settlements(), 300);
}

CONFORMANCE("C-230", "a short claim waits for the poll interval") {
  calls seen;
  stand s{where};
  const auto& served = s.serve(s.queue({.poll_interval = 700ms}),
                               seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims == 1);
  const auto quiet = host_now();
  s.add();
  INBOX_UNTIL(s, seen.size() == 1);
  CAF_CHECK(seen.all()[0].at - quiet > 500ms);
}

CONFORMANCE("C-260", "an enqueued row is claimed at once, ahead of the poll") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  const auto id = unbox(served.enqueue("emails", {.payload = "one"}));
  INBOX_UNTIL(s, seen.size() == 1);
  CHECK_SAME(seen.all()[0].id, id.view().as_integer().value());
  CHECK_SAME(seen.all()[0].payload, "one");
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("C-262", "no wake is lost, whenever the row was written") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.workers = 2, .poll_interval = 1h}),
                         seen.answering(ack()));
  for (int i = 0; i < 40; ++i) {
    // Every other one is written while the last one's claim is under way.
    unbox(served.enqueue("emails", new_row{}));
    if (i % 2)
      INBOX_UNTIL(s, seen.size() == std::size_t(i) + 1);
  }
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 40u);
}

CONFORMANCE("C-263", "rows written by hand wait for the poll or a wake") {
  calls seen, others;
  stand s{where};
  auto& served = s.make_service();
  served.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  served.serve(s.queue({.poll_interval = 1h}, "other"),
               others.answering(ack()));
  unbox(served.start());
  INBOX_UNTIL(s, s.figures(served, 0).empty_claims == 1
                   && s.figures(served, 1).empty_claims == 1);
  s.add();
  unbox(served.enqueue("other", new_row{}));
  INBOX_UNTIL(s, others.size() == 1);
  CHECK_SAME(s.figures(served, 0).claims, 1u);
  CHECK_SAME(seen.size(), 0u);
  served.wake("emails");
  INBOX_UNTIL(s, seen.size() == 1);
}

CONFORMANCE("B78", "a refused enqueue adds nothing and wakes nobody wrongly") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  const new_row rows[] = {{.payload = "good"}, {.priority = 5}};
  const auto why = refusal(served.enqueue("emails", rows));
  CAF_CHECK(why.code() == errc::missing_role);
  CHECK_SAME(s.count(), 0);
  CAF_CHECK(refusal(served.enqueue("nobody", rows)).code()
            == errc::unknown_queue);
  unbox(served.enqueue("emails", {.payload = "later"}));
  INBOX_UNTIL(s, seen.size() == 1 && s.count() == 0);
}

CONFORMANCE("B72", "thousands of rows are enqueued together, in order") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.workers = 4, .poll_interval = 1h}),
                         seen.answering(ack()));
  CAF_CHECK(
    unbox(served.enqueue("emails", std::span<const new_row>{})).empty());
  std::vector<new_row> rows(2000);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].payload = std::to_string(i);
  const auto ids = unbox(served.enqueue("emails", rows));
  CHECK_SAME(ids.size(), rows.size());
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 2000);
  for (const auto& c : seen.all()) {
    const auto at = std::stoul(c.payload);
    if (ids[at].view().as_integer() != c.id)
      CAF_FAIL("row " << at << " has another row's id");
  }
}

CONFORMANCE("B01", "whatever the statistics, a claim takes what was asked") {
  calls seen;
  std::atomic<std::uint32_t> most{0};
  std::atomic<const service*> running{nullptr};
  stand s{where};
  if (s.is_postgres())
    s.db().run("ALTER TABLE " + s.name() + " SET (autovacuum_enabled = false)");
  s.db().run("ANALYZE");
  add_many(s, 1500);
  auto& served = s.make_service();
  running = &served;
  served.serve(s.queue({.workers = 5, .prefetch = 5, .poll_interval = 10ms}),
               seen.answering([&](const call&, context&) {
                 const auto held = s.figures(*running).held;
                 for (auto m = most.load();
                      m < held && !most.compare_exchange_weak(m, held);) {
                 }
                 return ack();
               }));
  unbox(served.start());
  INBOX_UNTIL(s, s.count() == 0);
  INBOX_UNTIL(s, s.figures(served).acked == 1500);
  CHECK_SAME(s.figures(served).claimed, 1500u);
  CHECK_SAME(seen.size(), 1500u);
  CAF_MESSAGE("held at most: " << most.load());
  // The rows that settle are still held beside the five in hand.
  CAF_CHECK(s.is_lease() || most <= 5u);
}

CONFORMANCE("B04", "rows are delivered by priority, due time and id") {
  calls seen;
  stand s{where, {.priority = true}};
  for (int i = 0; i < 200; ++i)
    s.add({.payload = std::to_string(i * 7919 % 13),
           .priority = i * 7919 % 13,
           .due_in = -1s * (i % 3)});
  auto expected = s.rows();
  std::vector<std::tuple<std::int64_t, time_point, std::int64_t>> order;
  for (const auto& r : expected)
    order.emplace_back((r.id - expected[0].id) * 7919 % 13, *r.due, r.id);
  std::sort(order.begin(), order.end());
  s.serve(s.queue({.prefetch = 100}), seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  std::map<std::int64_t, std::size_t> place;
  for (const auto& [priority, due, id] : order)
    place.emplace(id, place.size());
  const auto ids = seen.ids();
  std::vector<std::int64_t> places;
  for (const auto id : ids)
    places.push_back(static_cast<std::int64_t>(place.at(id)));
  CHECK_SAME(ids.size(), 200u);
  check_order(where, places);
}

CONFORMANCE("B05", "rows of one transaction are delivered by id") {
  calls seen;
  stand s{where};
  add_many(s, 200, ", retry_after", ", " + s.db().instant(host_now() - 1s));
  s.serve(s.queue({.prefetch = 100}), seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  const auto ids = seen.ids();
  CHECK_SAME(ids.size(), 200u);
  check_order(where, ids);
}

CONFORMANCE("B06", "a row whose lease ended keeps its priority") {
  calls seen;
  door gate;
  stand s{where, {.priority = true}};
  const auto crashed = s.add(
    {.priority = 0, .attempt = 2, .leased_for = 1500ms});
  for (int i = 0; i < 40; ++i)
    s.add({.priority = 5});
  std::atomic<bool> ended{false};
  s.serve(s.queue({.prefetch = 1, .poll_interval = 10ms}),
          seen.answering([&](const call& c, context& ctx) {
            if (c.id != crashed && seen.size() == 5)
              gate.wait(ctx);
            return ack();
          }));
  INBOX_UNTIL(s, seen.size() == 5);
  INBOX_UNTIL(s, *s.find(crashed)->locked_until < host_now());
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
  const auto ids = seen.ids();
  const auto at = std::find(ids.begin(), ids.end(), crashed) - ids.begin();
  CAF_MESSAGE("delivered as number " << at + 1);
  CAF_CHECK(at <= 6);
}

CONFORMANCE("B08", "an attempt at its type's maximum stays and stops nothing") {
  calls seen;
  stand s{where};
  const std::int64_t most = s.is_postgres() ? 32767
                                            : std::int64_t{9223372036854775807};
  if (s.is_postgres())
    s.db().run("ALTER TABLE " + s.name() + " ALTER attempt TYPE smallint");
  const auto id = s.add({.attempt = most - 3});
  const auto other = s.add();
  s.serve(s.queue({.poll_interval = 10ms}),
          seen.answering([&](const call& c, context&) {
            return c.id == other || seen.of(id).size() == 12 ? ack()
                                                             : retry_after(0s);
          }));
  INBOX_UNTIL(s, s.count() == 0);
  const auto all = seen.of(id);
  CHECK_SAME(all.size(), 12u);
  for (std::size_t i = 1; i < all.size(); ++i)
    CAF_CHECK(all[i].attempt >= all[i - 1].attempt);
  CAF_CHECK(all.back().attempt <= std::uint64_t(most));
}

CONFORMANCE("B09", "ids beyond 32 and 53 bits work on every path") {
  calls seen;
  door gate;
  stand s{where};
  const std::int64_t bases[] = {2147483646, 9007199254740992,
                                9223372036854775800};
  for (auto id : bases)
    for (const auto* payload : {"ack", "retry", "later", "drop", "dead"})
      s.add({.payload = payload, .id = id++});
  auto& served = s.serve(s.queue({.workers = 3,
                                  .poll_interval = 10ms,
                                  .lease = 1s,
                                  .max_attempts = 2,
                                  .dead_letter = "dead"}),
                         seen.answering([](const call& c, context&) {
                           if (c.payload == "dead"
                               || (c.payload == "retry" && c.attempt == 1))
                             return retry();
                           if (c.payload == "later" && c.attempt == 1)
                             return retry_after(1ms);
                           return c.payload == "drop" ? drop() : ack();
                         }));
  const auto all_dead = [&s] {
    const auto rows = s.rows();
    return std::all_of(rows.begin(), rows.end(),
                       [](const stored& r) { return r.group == "dead"; });
  };
  INBOX_UNTIL(s, s.count() == 3 && s.settlements() == 12 && all_dead());
  CAF_CHECK(served.stop().has_value());
  // One more is in work for longer than its lease and given back at the end.
  const auto last = s.add({.id = 9223372036854775807});
  auto& stopping = s.serve(
    s.queue({.poll_interval = 10ms, .lease = 1s}),
    seen.answering([&](const call&, context& ctx) -> handled {
      gate.wait(ctx);
      return refuse(errc::handler_failed, "asked to end");
    }));
  INBOX_UNTIL(s, seen.of(last).size() == 1);
  if (s.is_lease())
    INBOX_UNTIL(s, s.find(last)->locked_until > seen.of(last)[0].at + 3s);
  stopping.drain(true);
  CAF_CHECK(stopping.stop().has_value());
  CAF_CHECK(!s.find(last)->locked_until);
}

CONFORMANCE("B10", "rows without a group belong to no named queue") {
  calls seen;
  stand s{where};
  if (s.is_postgres())
    s.db().run("ALTER TABLE " + s.name() + " ALTER name DROP NOT NULL");
  else
    s.db().run("DROP TABLE jobs; CREATE TABLE jobs (id INTEGER PRIMARY KEY, "
               "name TEXT, retry_after TEXT, attempt INTEGER DEFAULT 1, "
               "locked_until TEXT, payload BLOB)");
  const auto nobodys = s.add({.group = std::nullopt});
  const auto mine = s.add();
  auto& served = s.serve(s.queue({.poll_interval = 10ms}),
                         seen.answering(ack()));
  INBOX_UNTIL(s, !s.find(mine));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 2);
  CAF_CHECK(s.find(nobodys).has_value());
  CHECK_SAME(seen.size(), 1u);
}

CONFORMANCE("B10", "rows with a NULL group are released from a whole table") {
  calls seen;
  door never;
  stand s{where, {.group = false}};
  s.db().run("ALTER TABLE " + s.name() + " ADD COLUMN name text");
  for (int i = 0; i < 3; ++i)
    s.add();
  auto& served = s.serve(
    s.queue({.lease = 10min}),
    seen.answering([&](const call&, context& ctx) -> handled {
      never.wait(ctx);
      return refuse(errc::handler_failed, "asked to end");
    }));
  INBOX_UNTIL(s, seen.size() == 1);
  served.drain(true);
  CAF_CHECK(served.stop().has_value());
  for (const auto& r : s.rows())
    CAF_CHECK(!r.locked_until);
  CHECK_SAME(s.count(), 3);
}

CONFORMANCE("B23", "far delays are clamped, and the row is let go") {
  for (const auto delay :
       {duration::max(), duration{std::chrono::years{20}}, duration::min()}) {
    calls seen;
    stand s{where};
    const auto id = s.add();
    auto& served = s.serve(s.queue({.poll_interval = 1h}),
                           seen.answering([&](const call& c, context&) {
                             return c.attempt == 1 ? retry_after(delay) : ack();
                           }));
    INBOX_UNTIL(s, s.figures(served).retried == 1);
    if (delay < 0s) {
      INBOX_UNTIL(s, s.count() == 0);
      continue;
    }
    const auto r = s.find(id).value();
    CAF_CHECK(!r.locked_until);
    CAF_CHECK(*r.due > host_now() + max_delay - 1min);
    CAF_CHECK(*r.due < host_now() + max_delay + 1min);
  }
}

CONFORMANCE("B74", "rows at their cap are moved unrun and hold nobody up") {
  calls seen;
  stand s{where};
  for (int i = 0; i < 20; ++i)
    s.add({.payload = "worn", .attempt = 4, .due_in = -1h});
  for (int i = 0; i < 100; ++i)
    s.add();
  s.serve(s.queue({.workers = 2,
                   .prefetch = 10,
                   .poll_interval = 1h,
                   .max_attempts = 3,
                   .dead_letter = "dead"}),
          seen.answering(ack()));
  INBOX_UNTIL(s, s.settlements() == 100);
  INBOX_UNTIL(
    s, s.db().count("SELECT count(*) FROM " + s.name() + " WHERE name = 'dead'")
         == 20);
  CHECK_SAME(seen.size(), 100u);
}

CONFORMANCE("C-234", "two services share a table without sharing a row") {
  calls seen;
  stand s{where};
  add_many(s, 400);
  for (int i = 0; i < 2; ++i)
    s.serve(s.queue({.workers = 4, .prefetch = 20, .poll_interval = 10ms}),
            seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  auto ids = seen.ids();
  std::sort(ids.begin(), ids.end());
  CHECK_SAME(ids.size(), 400u);
  CAF_CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
  CHECK_SAME(s.settlements(), 400);
}
