#define CAF_SUITE conformance_shutdown
#include "inbox/test/conformance.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include "inbox/postgres/pool.hpp"

using namespace inbox;
using namespace inbox::test;

CONFORMANCE("C-290", "a drained service finishes its work and claims no more") {
  calls seen;
  door gate;
  stand s{where};
  for (int i = 0; i < 30; ++i)
    s.add();
  auto& served = s.serve(
    s.queue({.workers = 3, .prefetch = 10, .poll_interval = 10ms}),
    seen.answering([&](const call&, context& ctx) {
      gate.wait(ctx);
      return ack();
    }));
  INBOX_UNTIL(s, seen.size() == 3);
  served.drain();
  s.add();
  gate.open();
  CAF_CHECK(served.stop().has_value());
  CHECK_SAME(seen.ended(), 3u);
  CHECK_SAME(s.settlements(), 3);
  CHECK_SAME(s.count(), 28);
  for (const auto& r : s.rows()) {
    CAF_CHECK(!r.locked_until);
    CHECK_SAME(r.attempt.value(), 1); // never started: never counted
  }
}

CONFORMANCE("C-294", "rows in work settle after the drain began") {
  calls seen;
  door gate;
  stand s{where};
  const auto done = s.add({.payload = "ack"});
  const auto again = s.add({.payload = "retry"});
  auto& served = s.serve(s.queue({.workers = 2, .lease = 2s}),
                         seen.answering([&](const call& c, context& ctx) {
                           gate.wait(ctx);
                           return c.payload == "ack" ? ack() : retry();
                         }));
  INBOX_UNTIL(s, seen.size() == 2);
  served.drain();
  gate.open();
  CAF_CHECK(served.stop().has_value());
  CHECK_SAME(s.settlements(done), 1);
  CHECK_SAME(s.find(again)->attempt.value(), 2);
  CAF_CHECK(!s.find(again)->locked_until);
  CHECK_SAME(seen.size(), 2u);
}

CONFORMANCE("C-160", "a drain longer than the lease keeps the row") {
  calls seen, others;
  door gate;
  stand s{where};
  const auto id = s.add();
  auto& served = s.serve(s.queue({.lease = 1s}),
                         seen.answering([&](const call&, context& ctx) {
                           gate.wait(ctx);
                           return ack();
                         }));
  INBOX_UNTIL(s, seen.size() == 1);
  served.drain();
  s.serve(s.queue({.poll_interval = 10ms, .lease = 1s}),
          others.answering(ack()));
  const auto begun = host_now();
  INBOX_UNTIL(s, s.find(id)->locked_until > begun + 3s);
  gate.open();
  CAF_CHECK(served.stop().has_value());
  CHECK_SAME(s.settlements(id), 1);
  CHECK_SAME(others.size(), 0u);
}

CONFORMANCE("C-297", "at the drain time-out handlers are told to end") {
  calls seen;
  door never;
  std::atomic<stop_reason> why{stop_reason::none};
  stand s{where};
  const auto quick = s.add({.payload = "quick"});
  const auto slow = s.add({.payload = "slow"});
  auto& served = s.serve(
    s.queue({.workers = 2, .lease = 10min, .drain_timeout = 300ms}),
    seen.answering([&](const call& c, context& ctx) -> handled {
      if (c.payload == "quick")
        return ack();
      never.wait(ctx);
      why = ctx.why();
      return refuse(errc::handler_failed, "asked to end");
    }));
  INBOX_UNTIL(s, seen.size() == 2);
  CAF_CHECK(served.stop().has_value());
  CAF_CHECK(why == stop_reason::draining);
  CHECK_SAME(s.settlements(quick), 1);
  const auto back = s.find(slow).value();
  CAF_CHECK(!back.locked_until);
  // A row lock's crash or release counts nothing, a lease's delivery is one.
  CHECK_SAME(back.attempt.value(), s.is_lease() ? 2 : 1);
  CHECK_SAME(
    s.db().count("SELECT count(*) FROM " + s.name()
                 + (s.is_postgres() ? " WHERE id IN (SELECT id FROM " + s.name()
                                        + " FOR UPDATE SKIP LOCKED)"
                                    : "")),
    1);
}

CONFORMANCE("B70", "a second drain ends at once, however long the time-out") {
  calls seen;
  door never;
  stand s{where};
  const auto id = s.add();
  auto& served = s.serve(
    s.queue({.lease = 10min, .drain_timeout = 1h}),
    seen.answering([&](const call&, context& ctx) -> handled {
      never.wait(ctx);
      return refuse(errc::handler_failed, "asked to end");
    }));
  INBOX_UNTIL(s, seen.size() == 1);
  served.drain();
  CHECK_SAME(s.figures(served).in_work, 1u);
  served.drain(true);
  CAF_CHECK(served.stop().has_value());
  CAF_CHECK(!s.find(id)->locked_until);
}

CONFORMANCE("B70", "a row that is retried at once for ever holds up no drain") {
  calls seen;
  stand s{where};
  const auto id = s.add();
  auto& served = s.serve(s.queue(), seen.answering(retry()));
  INBOX_UNTIL(s, seen.size() > 20);
  const auto begun = host_now();
  CAF_CHECK(served.stop().has_value());
  CAF_CHECK(host_now() - begun < 10s);
  CAF_CHECK(!s.find(id)->locked_until);
}

CONFORMANCE("B71", "a stuck handler is left behind and its row given back") {
  // Outlive everything: the handler's thread is still in them at the end.
  static auto& stuck = *new door;
  static auto& seen = *new calls;
  const auto before = seen.size();
  const auto ended = seen.ended();
  stand s{where};
  const auto id = s.add();
  s.how_served.drain_grace = 200ms;
  {
    caf::actor_system_config config;
    caf::actor_system host{config};
    auto over = s.make_pool();
    auto settings = s.how_served;
    std::atomic<int> told{0};
    settings.log = [&](const log_entry& e) {
      told += e.text.find("did not end in time") != std::string::npos;
    };
    service served{host, std::move(over), std::move(settings)};
    served.serve(s.queue({.lease = 10min, .drain_timeout = 200ms}),
                 seen.answering([](const call&, context&) {
                   stuck.wait(); // for a minute, deaf to everything
                   return ack();
                 }));
    unbox(served.start());
    INBOX_UNTIL(s, seen.size() == before + 1);
    CAF_CHECK(served.stop().has_value());
    CHECK_SAME(told.load(), 1);
    CAF_CHECK(!s.find(id)->locked_until);
  } // the host's system ends although the handler still runs
  CHECK_SAME(seen.ended(), ended);
  calls again;
  stand* place = &s;
  s.serve(s.queue(), again.answering(ack()));
  INBOX_UNTIL(*place, s.count() == 0);
  CHECK_SAME(s.settlements(id), 1);
}
