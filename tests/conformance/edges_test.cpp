#define CAF_SUITE conformance_edges
#include "inbox/test/conformance.hpp"

#include <algorithm>

using namespace inbox;
using namespace inbox::test;

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
