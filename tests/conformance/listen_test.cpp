#define CAF_SUITE conformance_listen
#include "inbox/test/calls.hpp"
#include "inbox/test/conformance.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

/// A queue that finds nothing by its poll.
subscription quiet(const stand& s, const std::string& name = "emails") {
  return s.queue({.poll_interval = 1h}, name);
}

/// Listens, and has looked once since it does.
service& listening(stand& s, calls& seen) {
  s.listen_notify = true;
  auto& served = s.serve(quiet(s), seen.answering(ack()));
  INBOX_UNTIL(s, served.snapshot().listener_connected);
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  return served;
}

void announce(stand& s, const std::string& group) {
  s.db().run("SELECT pg_notify('" + s.application() + ".jobs', '" + group
             + "')");
}

/// How many sessions listen for the stand.
std::string listeners(stand& s) {
  return s.db()
    .ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = '"
         + s.application()
         + "' AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')")
    .at(0)
    .at(0)
    .value();
}

} // namespace

CONFORMANCE("C-268", "listen_notify is refused where nothing is announced") {
  stand s{where};
  s.listen_notify = true;
  const auto why = s.refusal_of(s.queue());
  CAF_CHECK(why.code() == errc::declaration);
  CAF_CHECK(why.to_string().find("polled") != std::string::npos);
}

CONFORMANCE("C-633", "an announced group is looked for at once, no other") {
  calls seen;
  stand s{where};
  listening(s, seen);
  s.add();
  announce(s, "others");
  announce(s, "emails");
  INBOX_UNTIL(s, s.count() == 0);
  s.add();
  announce(s, ""); // all of the table
  INBOX_UNTIL(s, s.count() == 0);
  CAF_CHECK_EQUAL(seen.size(), 2u);
}

CONFORMANCE("B40", "the trigger wakes the queue of rows inserted by anybody") {
  calls seen;
  stand s{where};
  listening(s, seen);
  const auto over = s.make_pool();
  s.db().run(
    unbox(over.to)->speaks().announcing_trigger(s.queue().description));
  s.add();
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("C-634", "rows that are enqueued are announced once") {
  calls seen;
  stand s{where};
  auto& served = listening(s, seen);
  const auto ear = unbox(s.make_pool().to)->listen();
  const std::string channels[] = {s.application() + ".jobs"};
  unbox(ear->open(channels));
  const std::vector<new_row> rows(5000);
  CAF_CHECK_EQUAL(unbox(served.enqueue_many("emails", rows)).size(), 5000u);
  const auto come = unbox(ear->wait(10s));
  CAF_REQUIRE_EQUAL(come.size(), 1u);
  CAF_CHECK(come[0].payload == "emails");
  CAF_CHECK(unbox(ear->wait(100ms)).empty());
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("B37", "a lost listener comes back and has every queue look") {
  calls seen;
  stand s{where};
  auto& served = listening(s, seen);
  s.add(); // announced by nobody: found when it listens again
  s.db().run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
             "WHERE query LIKE 'LISTEN%' AND application_name = '"
             + s.application() + "'");
  INBOX_UNTIL(s, s.count() == 0);
  CAF_CHECK_EQUAL(s.logged("not listening", log_level::warning), 1u);
  INBOX_UNTIL(s, served.snapshot().listener_connected);
  s.add();
  announce(s, "emails");
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("C-634", "rows are announced by their own groups") {
  calls seen;
  stand s{where};
  auto& served = listening(s, seen);
  const auto ear = unbox(s.make_pool().to)->listen();
  const std::string channels[] = {s.application() + ".jobs"};
  unbox(ear->open(channels));
  const new_row rows[] = {{.group = "a"}, {.group = "b"}, {.group = "a"}};
  unbox(served.enqueue_many("emails", rows));
  std::vector<std::string> groups;
  while (groups.size() < 2)
    for (const auto& n : unbox(ear->wait(10s)))
      groups.push_back(n.payload);
  CAF_CHECK_EQUAL(groups, (std::vector<std::string>{"a", "b"}));
  CAF_CHECK(unbox(ear->wait(100ms)).empty());
}

CONFORMANCE("C-265", "rows that cannot be announced are enqueued all the same") {
  calls seen;
  stand s{where};
  auto& served = listening(s, seen);
  const new_row row{.group = std::string(9000, 'g')};
  unbox(served.enqueue("emails", row)); // of any, then (B41)
  CAF_CHECK_EQUAL(s.logged("not announced"), 0u);
  // A function of the search path's first schema hides the server's own.
  s.session_options = {"search_path=" + s.application() + ",pg_catalog"};
  s.db().run("CREATE FUNCTION " + s.application()
             + ".pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ "
               "BEGIN RAISE EXCEPTION 'queue is full'; END $$");
  auto& other = s.make_service();
  other.serve(quiet(s, "others"), seen.answering(ack()));
  unbox(other.start());
  unbox(other.enqueue("others", new_row{}));
  CAF_CHECK_EQUAL(s.logged("not announced", log_level::warning), 1u);
  INBOX_UNTIL(s, s.settlements() == 1);
}

CONFORMANCE("C-267", "nobody listens after the stop") {
  calls seen;
  stand s{where};
  auto& served = listening(s, seen);
  CHECK_SAME(listeners(s), "1");
  s.stop(served);
  INBOX_UNTIL(s, listeners(s) == "0");
}
