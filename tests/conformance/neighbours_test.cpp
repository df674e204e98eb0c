// Two queues of one service, of which one is broken: the other goes on, and no
// row is lost.
#define CAF_SUITE conformance_neighbours
#include "inbox/test/conformance.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

/// A service of a healthy queue "emails" in `jobs` and a queue in `broken`.
struct neighbours {
  explicit neighbours(cell where) : s{where} {
    s.create("broken", {.group = false});
  }

  service& serve(handler bad, subscription_settings how = {}) {
    auto& both = s.make_service();
    both.serve(s.queue({.workers = 2, .poll_interval = 20ms}),
               seen.answering(ack()));
    how.poll_interval = 20ms;
    both.serve(s.queue(how, "broken", "broken"), std::move(bad));
    unbox(both.start());
    return both;
  }

  /// How long the healthy queue takes for a hundred rows.
  duration round() {
    const auto before = seen.size();
    const auto begun = host_now();
    for (int i = 0; i < 100; ++i)
      s.add();
    INBOX_UNTIL(s, s.count() == 0);
    CHECK_SAME(seen.size(), before + 100);
    return host_now() - begun;
  }

  void compare(duration healthy, duration beside) {
    CAF_MESSAGE("100 rows: " << to_string(healthy) << " healthy, "
                             << to_string(beside) << " beside the broken one");
    // Generous: both share the machine with other tests.
    CAF_CHECK(beside < healthy * 3 + 1s);
  }

  calls seen;
  calls bad;
  stand s;
};

} // namespace

CONFORMANCE("N-1", "a dropped table stops its own queue alone") {
  neighbours n{where};
  auto& both = n.serve(n.bad.answering(ack()));
  const auto healthy = n.round();
  n.s.db().run("ALTER TABLE " + n.s.name("broken") + " RENAME TO gone");
  INBOX_UNTIL(n.s, n.s.figures(both, 1).failed_claims >= 1);
  n.compare(healthy, n.round());
  n.s.db().run("ALTER TABLE " + n.s.name("gone") + " RENAME TO broken");
  n.s.add({}, "broken");
  INBOX_UNTIL(n.s, n.s.count("broken") == 0);
}

CONFORMANCE("N-1", "a table that is dropped at work leaves its neighbour alone") {
  door gate;
  neighbours n{where};
  for (int i = 0; i < 5; ++i)
    n.s.add({}, "broken");
  // A row lock at work would keep its table from being dropped.
  auto& both = n.serve(n.bad.answering([&](const call&, context& ctx) {
    if (is_lease(where))
      gate.wait(ctx);
    return ack();
  }),
                       {.workers = 2});
  INBOX_UNTIL(n.s, n.bad.size() >= 2);
  const auto healthy = n.round();
  n.s.db().run("DROP TABLE " + n.s.name("broken"));
  gate.open();
  INBOX_UNTIL(n.s, n.s.figures(both, 1).failed_claims >= 2);
  n.compare(healthy, n.round());
  CHECK_SAME(n.s.figures(both, 0).failed_claims, 0u);
  CHECK_SAME(n.s.logged("a claim failed"), 1u);
  n.s.create("broken", {.group = false});
  n.s.add({}, "broken");
  INBOX_UNTIL(n.s, n.s.count("broken") == 0);
}

CONFORMANCE("N-2", "a handler that always fails keeps its rows and its place") {
  neighbours n{where};
  for (int i = 0; i < 5; ++i)
    n.s.add({}, "broken");
  subscription_settings how{.workers = 2};
  how.on_failure = {failure_policy::kind::retry, {}, {}};
  auto& both = n.serve(n.bad.answering([](const call&, context&) -> handled {
    return refuse(errc::handler_failed, "no such program");
  }),
                       how);
  INBOX_UNTIL(n.s, n.s.figures(both, 1).failed >= 5);
  n.round();
  CHECK_SAME(n.s.count("broken"), 5);
  CHECK_SAME(n.s.settlements({}, "broken"), 0);
}

CONFORMANCE("N-3", "payloads that never decode hold only their own queue") {
  neighbours n{where};
  for (int i = 0; i < 5; ++i)
    n.s.add({.payload = "?"}, "broken");
  subscription_settings how;
  how.on_decode_failure = {failure_policy::kind::retry_after, 50ms, {}};
  auto& both = n.serve(adapt([](const std::vector<int>&) {}), how);
  INBOX_UNTIL(n.s, n.s.figures(both, 1).undecodable >= 5);
  n.round();
  CHECK_SAME(n.s.count("broken"), 5);
}

CONFORMANCE("N-4", "a full database loses no row, and goes on with room") {
  calls seen;
  stand s{where};
  s.sessions = 2; // the writer, and one that enqueues
  auto& served = s.serve(s.queue({.poll_interval = 20ms, .lease = 1s}),
                         seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  // The limit holds for one session alone, so the service's own sets it.
  const auto pages = s.db().count("PRAGMA page_count");
  const auto limit_to = [&](std::int64_t most) {
    unbox(served.with_session([most](connection& on) -> expected<void> {
      const auto set = on.execute(
        "PRAGMA max_page_count = " + std::to_string(most), {});
      return set ? expected<void>{} : tl::make_unexpected(set.error());
    }));
  };
  limit_to(pages + 1);
  const new_row large{.payload = std::string(1 << 20, 'x')};
  const auto why = refusal(served.enqueue("emails", large));
  CAF_CHECK(why.code() == errc::full);
  CAF_CHECK(!why.message().empty());
  unbox(served.enqueue("emails", {.payload = "small"}));
  INBOX_UNTIL(s, s.count() == 0);
  limit_to(pages + 10'000);
  unbox(served.enqueue("emails", large));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 2);
}
