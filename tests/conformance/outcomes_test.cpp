#define CAF_SUITE conformance_outcomes
#include "inbox/test/conformance.hpp"

#include <future>

using namespace inbox;
using namespace inbox::test;

CONFORMANCE("C-120", "an acknowledged or dropped row is deleted exactly once") {
  for (const auto answer : {ack(), drop()}) {
    calls seen;
    stand s{where};
    const auto id = s.add();
    const auto& served = s.serve(s.queue(), seen.answering(answer));
    INBOX_UNTIL(s, s.count() == 0);
    CHECK_SAME(s.settlements(id), 1);
    CHECK_SAME(seen.size(), 1u);
    const auto f = s.figures(served);
    INBOX_UNTIL(s, s.figures(served).acked + s.figures(served).dropped == 1);
    CHECK_SAME(s.figures(served).acked, answer == ack() ? 1u : 0u);
  }
}

CONFORMANCE("C-120", "where the table can mark a row it is marked, once") {
  for (const auto answer : {ack(), drop()}) {
    calls seen;
    stand s{where, {.processed_at = true}};
    const auto id = s.add();
    s.serve(s.queue({.poll_interval = 10ms}), seen.answering(answer));
    INBOX_UNTIL(s, s.find(id)->processed_at.has_value());
    CAF_CHECK(!s.find(id)->locked_until);
    // A row that is due behind it: the marked one is not claimed again.
    const auto next = s.add();
    INBOX_UNTIL(s, s.find(next)->processed_at.has_value());
    CHECK_SAME(seen.size(), 2u);
    CHECK_SAME(s.settlements(id), 1);
  }
}

CONFORMANCE("C-121", "a retry returns at once, and reports the next attempt") {
  calls seen;
  stand s{where};
  s.add();
  s.serve(s.queue({.poll_interval = 1h}),
          seen.answering([](const call& c, context&) {
            return c.attempt == 1 ? retry() : ack();
          }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
  CHECK_SAME(seen.all()[0].attempt, 1u);
  CHECK_SAME(seen.all()[1].attempt, 2u);
  CHECK_SAME(s.settlements(), 1);
}

CONFORMANCE("C-122", "a delayed retry waits in the table until it is due") {
  calls seen;
  stand s{where};
  const auto id = s.add();
  s.serve(s.queue({.poll_interval = 20ms}),
          seen.answering([](const call& c, context&) {
            return c.attempt == 1 ? retry_after(700ms) : ack();
          }));
  std::optional<stored> waiting;
  INBOX_UNTIL(s, (waiting = s.find(id)) && waiting->attempt == 2
                   && !waiting->locked_until);
  CAF_CHECK(waiting->due > seen.all()[0].at + 700ms);
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
  CAF_CHECK(seen.all()[1].at >= *waiting->due);
}

CONFORMANCE("C-123", "without a due time a delayed retry returns at once") {
  calls seen;
  stand s{where, {.retry_after = false}};
  s.add();
  s.serve(s.queue({.poll_interval = 1h}),
          seen.answering([](const call& c, context&) {
            return c.attempt == 1 ? retry_after(1h) : ack();
          }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
  CAF_CHECK(s.logged("no retry_after column", log_level::warning) == 1);
}

CONFORMANCE("C-124", "a delivery reports the attempt from before its claim") {
  calls seen;
  stand s{where};
  const auto fresh = s.add();
  const auto seventh = s.add({.attempt = 7});
  s.serve(s.queue(), seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.of(fresh).at(0).attempt, 1u);
  CHECK_SAME(seen.of(seventh).at(0).attempt, 7u);
}

CONFORMANCE("C-124", "a table that counts no attempts reports none") {
  calls seen;
  stand s{where, {.attempt = false}};
  s.add();
  s.serve(s.queue(), seen.answering([&](const call&, context&) {
    return seen.size() < 3 ? retry() : ack();
  }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 3u);
  for (const auto& c : seen.all())
    CAF_CHECK(!c.counted && c.attempt == 1);
}

CONFORMANCE("C-126", "the last failing delivery moves the row to its group") {
  for (const auto answer : {retry(), retry_after(0s)}) {
    calls seen;
    stand s{where};
    const auto id = s.add();
    s.serve(s.queue({.poll_interval = 10ms,
                     .max_attempts = 3,
                     .dead_letter = "emails.dead"}),
            seen.answering(answer));
    INBOX_UNTIL(s, s.find(id)->group == "emails.dead");
    CHECK_SAME(seen.size(), 3u);
    CAF_CHECK(!s.find(id)->locked_until);
    // The lease form counted three claims, the row lock form two retries.
    CHECK_SAME(s.find(id)->attempt.value(), s.is_lease() ? 4 : 3);
    CAF_CHECK(s.logged("dead-lettered", log_level::warning) == 1);
    CHECK_SAME(s.settlements(), 0);
  }
}

CONFORMANCE("C-126", "a cap of one moves the row at its first failure") {
  calls seen;
  stand s{where};
  const auto id = s.add();
  s.serve(s.queue({.max_attempts = 1, .dead_letter = "dead"}),
          seen.answering(retry()));
  INBOX_UNTIL(s, s.find(id)->group == "dead");
  CHECK_SAME(seen.size(), 1u);
}

CONFORMANCE("C-126", "an ack or a drop at the cap ends the row") {
  for (const auto answer : {ack(), drop()}) {
    calls seen;
    stand s{where};
    s.add({.attempt = 3});
    s.serve(s.queue({.max_attempts = 3, .dead_letter = "dead"}),
            seen.answering(answer));
    INBOX_UNTIL(s, s.count() == 0);
    CHECK_SAME(seen.size(), 1u);
  }
}

CONFORMANCE("C-127", "without groups the dead letter is a table") {
  calls seen;
  stand s{where, {.group = false}};
  const auto dead = s.name("jobs_dead");
  subscription_settings how{.max_attempts = 2,
                            .dead_letter = s.name("jobs_dead")};
  s.db().run(unbox(unbox(s.make_pool().to)->speaks().ddl(s.queue(how))));
  const auto id = s.add({.payload = std::string{"\0\xff", 2}});
  s.serve(s.queue(how), seen.answering(retry()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
  CHECK_SAME(s.db().count("SELECT id FROM " + dead + " WHERE payload = "
                          + s.db().octets(std::string{"\0\xff", 2})),
             id);
  CHECK_SAME(s.settlements(id), 1);
}

CONFORMANCE("C-129", "rows that do not decode count towards the cap") {
  calls seen;
  stand s{where};
  const auto id = s.add({.payload = "{"});
  subscription_settings how{.max_attempts = 2, .dead_letter = "dead"};
  how.on_decode_failure = {failure_policy::kind::retry, {}, {}};
  const auto& served = s.serve(s.queue(how),
                               adapt([](const std::vector<int>&) {}));
  INBOX_UNTIL(s, s.find(id)->group == "dead");
  CHECK_SAME(s.figures(served).undecodable, 2u);
}

CONFORMANCE("C-131", "payload octets and headers arrive as they were written") {
  for (const auto& octets : {std::string{"\x00\xff\xfe\n", 4}, std::string{}}) {
    stand s{where, {.headers = true}};
    s.add(
      {.payload = octets, .headers = R"({"x-tenant":"acme","u":"\u00e9"})"});
    std::promise<std::string> got;
    std::promise<header_map> headers;
    s.serve(s.queue(), adapt([&](std::string_view in, context& ctx) {
              got.set_value(std::string{in});
              headers.set_value(unbox(ctx.headers()));
            }));
    INBOX_UNTIL(s, s.count() == 0);
    CAF_CHECK(got.get_future().get() == octets);
    const auto h = headers.get_future().get();
    CHECK_SAME(h.at("x-tenant"), "acme");
    CHECK_SAME(h.at("u"), "\xc3\xa9");
  }
}

CONFORMANCE("C-132", "a row whose settlement fails comes back") {
  calls seen;
  stand s{where};
  const auto stuck = s.add();
  const auto fine = s.add();
  s.keep_from_ending(stuck);
  s.serve(s.queue({.poll_interval = 20ms, .lease = 1s}), seen.answering(ack()));
  INBOX_UNTIL(s, seen.of(stuck).size() >= 2);
  INBOX_UNTIL(s, !s.find(fine));
  CAF_CHECK(s.find(stuck).has_value());
  CAF_CHECK(s.logged("event=ack", log_level::error) >= 1);
  CAF_CHECK(s.logged("not this one", log_level::error) >= 1);
  s.let_end();
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 2);
}

CONFORMANCE("C-133", "a row in work is not started twice in one process") {
  calls seen;
  door gate;
  stand s{where};
  const auto id = s.add();
  s.serve(s.queue({.workers = 3, .poll_interval = 10ms, .lease = 2s}),
          seen.answering([&](const call&, context& ctx) {
            gate.wait(ctx);
            return ack();
          }));
  INBOX_UNTIL(s, seen.size() == 1);
  // Somebody clears the lease: the row is claimable, and is claimed again.
  // Then a row behind it passes, while the first waits for its handler.
  if (s.is_lease())
    s.db().run("UPDATE " + s.name() + " SET locked_until = NULL");
  if (s.is_lease())
    INBOX_UNTIL(s, s.find(id)->locked_until.has_value());
  CHECK_SAME(seen.of(id).size(), 1u);
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.most_at_once(), 1u);
  CHECK_SAME(s.settlements(id), 1);
}
