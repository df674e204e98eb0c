#define CAF_SUITE conformance_faults
#include "inbox/test/conformance.hpp"

#include <algorithm>

#include "inbox/test/proxy.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

void add_many(stand& s, int rows) {
  s.db().run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
             "WHERE i < "
             + std::to_string(rows) + ") INSERT INTO " + s.name()
             + " (name, payload) SELECT 'emails', " + s.db().octets("")
             + " FROM n");
}

/// A proxy before the stand's server; its services go through it.
std::unique_ptr<proxy> between(stand& s) {
  auto p = std::make_unique<proxy>(static_cast<std::uint16_t>(
    std::stoi(s.db().ask("SHOW port").at(0).at(0).value())));
  s.other_url = "postgres://inbox:unused@127.0.0.1:" + std::to_string(p->port())
                + "/"
                + s.db().ask("SELECT current_database()").at(0).at(0).value()
                + "?sslmode=disable";
  return p;
}

} // namespace

CONFORMANCE("B11", "a serializable default loses no settlement") {
  calls seen;
  stand s{where};
  s.session_options = {"default_transaction_isolation=serializable"};
  add_many(s, 500);
  for (int i = 0; i < 2; ++i)
    s.serve(s.queue({.workers = 4, .poll_interval = 10ms, .lease = 10s}),
            seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 500);
  CHECK_SAME(seen.size(), 500u);
  CHECK_SAME(s.logged("", log_level::error), 0u);
}

CONFORMANCE("B33", "a settlement that fails at first is written in the end") {
  calls seen;
  stand s{where};
  for (int i = 0; i < 4; ++i)
    s.add();
  // Sequences do not roll back: three serialization failures, then none.
  s.db().run("CREATE SEQUENCE " + s.name("failures") + "; CREATE FUNCTION "
             + s.name("trouble")
             + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('"
             + s.name("failures")
             + "') <= 3 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = "
               "'40P01'; END IF; RETURN OLD; END $$; CREATE TRIGGER trouble "
               "BEFORE DELETE ON "
             + s.name() + " FOR EACH ROW EXECUTE FUNCTION " + s.name("trouble")
             + "()");
  s.serve(s.queue({.workers = 4, .poll_interval = 20ms, .lease = 1s}),
          seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 4);
}

CONFORMANCE("B52", "a locked SQLite file delays everything and loses nothing") {
  calls seen;
  door gate;
  stand s{where};
  s.how_connected.busy_timeout = 300ms;
  const auto id = s.add();
  auto& served = s.serve(
    s.queue({.workers = 2, .poll_interval = 20ms, .lease = 8s}),
    seen.answering([&](const call& c, context& ctx) {
      if (c.id == id)
        gate.wait(ctx);
      return ack();
    }));
  INBOX_UNTIL(s, seen.size() == 1);
  const auto first = s.find(id)->locked_until.value();
  auto other = s.client();
  other->run("BEGIN IMMEDIATE");
  const auto locked = host_now();
  const auto why = refusal(served.enqueue("emails", new_row{}));
  CAF_CHECK(why.code() == errc::busy);
  CAF_CHECK(why.is_retryable());
  INBOX_UNTIL(s, host_now() > locked + 4500ms); // past the first extension
  other->run("COMMIT");
  INBOX_UNTIL(s, s.find(id)->locked_until > first);
  unbox(served.enqueue("emails", new_row{}));
  gate.open();
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 2u);
  CHECK_SAME(s.settlements(), 2);
}

CONFORMANCE("B65", "sessions that the server ends are replaced") {
  calls seen;
  stand s{where};
  add_many(s, 300);
  auto& served = s.serve(
    s.queue({.workers = 4, .poll_interval = 20ms, .lease = 2s}),
    seen.answering(ack()));
  for (int i = 0; i < 5; ++i) {
    const auto before = seen.size();
    s.cut_sessions();
    INBOX_UNTIL(s, seen.size() > before + 5 || s.count() == 0);
  }
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 300);
  CAF_CHECK(served.snapshot().sessions_lost > 0);
}

CONFORMANCE("B65", "a server that is gone for a while is found again") {
  calls seen;
  stand s{where};
  s.how_connected.connect_timeout = 300ms;
  const auto link = between(s);
  auto& served = s.serve(
    s.queue({.workers = 2, .poll_interval = 20ms, .lease = 2s}),
    seen.answering(ack()));
  s.add();
  INBOX_UNTIL(s, s.count() == 0);
  link->stall_connections(true);
  link->arm(fault::cut_before);
  const auto gone = host_now();
  INBOX_UNTIL(s, served.snapshot().sessions_lost > 0);
  for (int i = 0; i < 20; ++i)
    s.add();
  INBOX_UNTIL(s, host_now() > gone + 3s);
  const auto lines = s.logged("", log_level::warning);
  CAF_MESSAGE("lines logged in three seconds: " << lines);
  CAF_CHECK(lines >= 1 && lines <= 12);
  link->heal();
  link->stall_connections(false);
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 21);
  s.stop(served);
}

CONFORMANCE("B67", "rows that settle while the server is away are not lost") {
  calls seen;
  door gate;
  stand s{where};
  s.sessions = 10;
  s.how_connected.connect_timeout = 300ms;
  const auto link = between(s);
  add_many(s, 8);
  auto& served = s.serve(
    s.queue({.workers = 8, .poll_interval = 20ms, .lease = 2s}),
    seen.answering([&](const call&, context& ctx) {
      gate.wait(ctx);
      return ack();
    }));
  INBOX_UNTIL(s, seen.size() == 8);
  link->stall_connections(true);
  link->arm(fault::cut_before);
  gate.open();
  INBOX_UNTIL(s, seen.ended() >= 8 && served.snapshot().sessions_lost > 0);
  const auto gone = host_now();
  INBOX_UNTIL(s, host_now() > gone + 2s);
  CHECK_SAME(s.settlements(), 0);
  link->heal();
  link->stall_connections(false);
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 8);
  s.add();
  INBOX_UNTIL(s, s.count() == 0);
  s.stop(served);
}

CONFORMANCE("B68", "a transaction that the server ends gives its row back") {
  calls seen;
  stand s{where};
  s.session_options = {"idle_in_transaction_session_timeout=2000"};
  const auto id = s.add();
  const auto other = s.add();
  // The backend that has held a row of ours for a while; claims come and go.
  const auto holding = [&](raw_database& by) {
    std::vector<raw_row> found;
    while (found.empty())
      found = by.ask("SELECT pid FROM pg_stat_activity WHERE "
                     "application_name = '"
                     + s.application()
                     + "' AND state LIKE 'idle in transaction%' AND "
                       "xact_start < clock_timestamp() - interval '1 second'");
    return found.at(0).at(0).value();
  };
  auto& served = s.serve(
    s.queue({.workers = 2, .poll_interval = 20ms}),
    seen.answering([&](const call& c, context&) {
      if (c.id == id && seen.of(id).size() == 1) {
        const auto client = s.client();
        const auto mine = holding(*client);
        while (client->count("SELECT count(*) FROM pg_stat_activity WHERE pid "
                             "= "
                             + mine)
               > 0) {
        }
      }
      return ack();
    }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.of(id).size(), 2u);
  CHECK_SAME(seen.of(other).size(), 1u);
  CHECK_SAME(s.settlements(id), 1);
  CAF_CHECK(served.snapshot().sessions_lost >= 1);
}
