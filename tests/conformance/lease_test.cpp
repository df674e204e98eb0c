#define CAF_SUITE conformance_lease
#include "inbox/test/conformance.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

/// A handler that stays at the door and then acknowledges.
calls::answer ack_after(door& gate) {
  return [&gate](const call&, context& ctx) {
    gate.wait(ctx);
    return ack();
  };
}

/// What another process' claim does to a row in work: it holds it for an hour.
void take_over(stand& s, std::int64_t id) {
  s.db().run("UPDATE " + s.name() + " SET locked_until = "
             + s.db().instant(lease_end(host_now(), 1h))
             + ", attempt = attempt + 1 WHERE id = " + std::to_string(id));
}

} // namespace

CONFORMANCE("C-150", "a claim is committed before its handler runs") {
  calls seen;
  door gate;
  stand s{where};
  const auto id = s.add();
  auto& served = s.serve(s.queue({.lease = 30s}),
                         seen.answering([&](const call&, context& ctx) {
                           gate.wait(ctx);
                           return retry();
                         }));
  INBOX_UNTIL(s, seen.size() == 1);
  const auto held = s.find(id).value();
  CHECK_SAME(held.attempt.value(), 2);
  CAF_CHECK(held.locked_until > seen.all()[0].at + 20s);
  // Whole seconds, so that every column keeps the token exactly.
  CAF_CHECK(held.locked_until->time_since_epoch() % 1s == 0s);
  CHECK_SAME(seen.all()[0].attempt, 1u);
  served.drain();
  gate.open();
  CAF_CHECK(served.stop().has_value());
  CHECK_SAME(s.find(id)->attempt.value(), 2);
  CAF_CHECK(!s.find(id)->locked_until);
}

CONFORMANCE("C-153", "a lease goes on while its handler runs") {
  calls seen;
  door gate;
  stand s{where};
  const auto id = s.add();
  s.serve(s.queue({.workers = 2, .poll_interval = 10ms, .lease = 1s}),
          seen.answering(ack_after(gate)));
  INBOX_UNTIL(s, seen.size() == 1);
  const auto first = s.find(id)->locked_until.value();
  INBOX_UNTIL(s, s.find(id)->locked_until >= first + 3s);
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 1u);
  CHECK_SAME(s.settlements(id), 1);
}

CONFORMANCE("C-153", "rows that wait behind slow handlers keep their lease") {
  calls seen;
  door gate;
  stand s{where};
  for (int i = 0; i < 20; ++i)
    s.add();
  s.serve(
    s.queue({.workers = 2, .prefetch = 20, .poll_interval = 10ms, .lease = 1s}),
    seen.answering(ack_after(gate)));
  auto& other = s.serve(s.queue({.poll_interval = 10ms, .lease = 1s}),
                        seen.answering(ack_after(gate)));
  INBOX_UNTIL(s, seen.size() == 3);
  const auto begun = host_now();
  INBOX_UNTIL(s, s.rows().front().locked_until > begun + 3s);
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
  INBOX_UNTIL(s, s.figures(other).held == 0);
  CHECK_SAME(seen.size(), 20u);
  CHECK_SAME(s.settlements(), 20);
}

CONFORMANCE("C-154", "a late holder changes nothing") {
  calls late, current;
  door gate;
  stand s{where};
  const auto id = s.add();
  auto& first = s.serve(s.queue({.lease = 30s}),
                        late.answering(ack_after(gate)));
  INBOX_UNTIL(s, late.size() == 1);
  take_over(s, id);
  const auto taken = s.find(id).value();
  gate.open();
  INBOX_UNTIL(s, s.figures(first).lost == 1);
  CHECK_SAME(s.settlements(), 0);
  CAF_CHECK(s.find(id)->locked_until == taken.locked_until);
  CAF_CHECK(s.find(id)->attempt == taken.attempt);
  CAF_CHECK(s.logged("settled too late", log_level::warning) == 1);
  s.stop(first);
  s.db().run("UPDATE " + s.name() + " SET locked_until = NULL");
  s.serve(s.queue(), current.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(current.size(), 1u);
}

CONFORMANCE("C-154", "neither do its retry, its drop and its dead letter") {
  for (const auto answer : {retry(), retry_after(1min), drop(), retry()}) {
    calls late;
    door gate;
    stand s{where};
    const auto id = s.add({.attempt = 2});
    const auto& first = s.serve(
      s.queue({.lease = 30s,
               .max_attempts = answer == retry() ? 2u : 9u,
               .dead_letter = "dead"}),
      late.answering([&](const call&, context& ctx) {
        gate.wait(ctx);
        return answer;
      }));
    INBOX_UNTIL(s, late.size() == 1);
    take_over(s, id);
    const auto taken = s.find(id).value();
    gate.open();
    INBOX_UNTIL(s, s.figures(first).lost == 1);
    const auto now = s.find(id).value();
    CAF_CHECK(now.locked_until == taken.locked_until);
    CAF_CHECK(now.attempt == taken.attempt && now.group == taken.group
              && now.due == taken.due);
  }
}

CONFORMANCE("C-154", "either half of the token alone keeps a late holder out") {
  for (const bool same_attempt : {true, false}) {
    calls late;
    door gate;
    stand s{where};
    const auto id = s.add();
    const auto& first = s.serve(s.queue({.lease = 30s}),
                                late.answering(ack_after(gate)));
    INBOX_UNTIL(s, late.size() == 1);
    s.db().run("UPDATE " + s.name() + " SET "
               + (same_attempt ? "locked_until = "
                                   + s.db().instant(lease_end(host_now(), 1h))
                               : "attempt = attempt + 1"));
    gate.open();
    INBOX_UNTIL(s, s.figures(first).lost == 1);
    CAF_CHECK(s.find(id).has_value());
    CHECK_SAME(s.settlements(), 0);
  }
}

CONFORMANCE("C-156", "a delivery reports the count from before its claim") {
  calls seen;
  door gate;
  stand s{where};
  const auto id = s.add();
  s.serve(s.queue(), seen.answering(ack_after(gate)));
  INBOX_UNTIL(s, seen.size() == 1);
  CHECK_SAME(s.find(id)->attempt.value(), 2);
  CHECK_SAME(seen.all()[0].attempt, 1u);
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("C-159", "a handler stopped early gives its row back at once") {
  calls seen;
  door never;
  stand s{where};
  const auto id = s.add();
  auto& served = s.serve(
    s.queue({.lease = 10min}),
    seen.answering([&](const call&, context& ctx) -> handled {
      never.wait(ctx);
      return refuse(errc::handler_failed, "asked to end");
    }));
  INBOX_UNTIL(s, seen.size() == 1);
  served.drain(true);
  CAF_CHECK(served.stop().has_value());
  const auto back = s.find(id).value();
  CAF_CHECK(!back.locked_until);
  CHECK_SAME(back.attempt.value(), 2); // the delivery was one
  calls again;
  s.serve(s.queue(), again.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(again.all().at(0).attempt, 2u);
}

CONFORMANCE("C-161", "due times of every form SQLite reads count truly") {
  calls seen;
  stand s{where};
  const auto put = [&](const char* due) {
    return s.db().count(
      std::string{"INSERT INTO jobs (name, payload, retry_after) VALUES "
                  "('emails', X'00', "}
      + due + ") RETURNING id");
  };
  put("datetime('now', '-2 seconds')");
  put("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-2 seconds')");
  put("strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', '-3 seconds')");
  const auto soon = put("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds')");
  const auto due = host_now() + 2s - 10ms;
  const auto later = put("datetime('now', '+1 day')");
  s.serve(s.queue({.poll_interval = 20ms}), seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 1);
  CAF_CHECK(s.find(later).has_value());
  CHECK_SAME(seen.of(soon).size(), 1u);
  CAF_CHECK(seen.of(soon).at(0).at >= due - 1s);
}

CONFORMANCE("C-161", "written times sort as text") {
  calls seen;
  stand s{where};
  s.add();
  s.serve(s.queue({.poll_interval = 10ms}), seen.answering(retry_after(1h)));
  INBOX_UNTIL(s, s.rows()[0].attempt == 2 && !s.rows()[0].locked_until);
  const auto text
    = s.db().ask("SELECT retry_after FROM jobs").at(0).at(0).value();
  CHECK_SAME(text, to_sql_text(parse_time(text).value()));
}

CONFORMANCE("B17", "busy handlers longer than their lease run once") {
  calls seen;
  std::atomic<bool> enough{false};
  stand s{where};
  s.add();
  s.add();
  const auto spin = [&](const call&, context& ctx) {
    while (!enough && !ctx.stopping().stop_requested()) {
    }
    return ack();
  };
  const subscription_settings how{
    .workers = 2, .poll_interval = 10ms, .lease = 1s};
  s.serve(s.queue(how), seen.answering(spin));
  INBOX_UNTIL(s, seen.size() == 2);
  s.serve(s.queue(how), seen.answering(spin));
  const auto begun = host_now();
  INBOX_UNTIL(s, s.rows()[0].locked_until > begun + 4s
                   && s.rows()[1].locked_until > begun + 4s);
  enough = true;
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
}

CONFORMANCE("B19", "a handler is told that its lease is lost") {
  calls seen;
  door never;
  std::atomic<stop_reason> why{stop_reason::none};
  stand s{where};
  const auto id = s.add();
  const auto& first = s.serve(s.queue({.lease = 2s}),
                              seen.answering([&](const call&, context& ctx) {
                                never.wait(ctx);
                                why = ctx.why();
                                return ack();
                              }));
  INBOX_UNTIL(s, seen.size() == 1);
  take_over(s, id);
  INBOX_UNTIL(s, why == stop_reason::lease_lost);
  INBOX_UNTIL(s, s.figures(first).lost == 1);
  CHECK_SAME(s.settlements(), 0);
  CAF_CHECK(s.find(id).has_value());
}
