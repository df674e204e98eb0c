#define CAF_SUITE conformance_order
#include "inbox/test/conformance.hpp"

#include <algorithm>

using namespace inbox;
using namespace inbox::test;

namespace {

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

CONFORMANCE("B01", "whatever the statistics, a claim takes what was asked") {
  calls seen;
  std::atomic<std::uint32_t> most{0};
  std::atomic<const service*> running{nullptr};
  stand s{where};
  if (s.is_postgres())
    s.db().run("ALTER TABLE " + s.name() + " SET (autovacuum_enabled = false)");
  s.db().run("ANALYZE");
  s.add_many(1500);
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
  s.add_many(200, ", retry_after", ", " + s.db().instant(host_now() - 1s));
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
  s.add_many(400);
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
