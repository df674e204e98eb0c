#define CAF_SUITE postgres_stalls
#include "proxy_fixture.hpp"

#include <thread>

using namespace inbox;
using test::fault;
using test::refusal;
using test::unbox;
using steady = std::chrono::steady_clock;

namespace {

using how = settled::how;

struct stalls : test::proxy_fixture {
  /// A claimed row and the trip that acknowledges it.
  trip claimed(postgres::connection& on) {
    unbox(on.prepare(statements));
    const auto rows = claim(on);
    CAF_REQUIRE_EQUAL(rows.rows->size(), 1u);
    trip t;
    t.statements = statements;
    t.settlements = {end(rows, 0, event::ack)};
    return t;
  }

  how read_back(const trip& t) {
    trip back;
    back.statements = t.statements;
    back.read_backs = t.settlements;
    return db().run(back, unbox(db().clock())).read_backs[0].went;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_stalls_tests, stalls)

CAF_TEST(a connection that is taken and never served ends at its time-out) {
  if (is_skipped())
    return;
  between->stall_connections(true);
  const auto begun = steady::now();
  const auto why = refusal(closed(hasty)->open());
  CAF_CHECK_EQUAL(why.code(), errc::connect);
  CAF_CHECK(steady::now() - begun < 5s);
  CAF_CHECK(why.to_string().find("pass") == std::string::npos);
}

CAF_TEST(a stall after the login ends at the same time-out) {
  if (is_skipped())
    return;
  between->arm(fault::stall, "SET TimeZone");
  const auto begun = steady::now();
  const auto why = refusal(closed(hasty)->open());
  CAF_CHECK_EQUAL(why.code(), errc::connect);
  CAF_CHECK(steady::now() - begun < 5s);
}

CAF_TEST(a stalled result times out and loses the session) {
  if (is_skipped())
    return;
  auto c = through(hasty);
  between->arm(fault::stall);
  const auto begun = steady::now();
  const auto why = refusal(c->execute("SELECT 1", {}));
  CAF_CHECK_EQUAL(why.code(), errc::timed_out);
  CAF_CHECK(why.is_session_lost());
  CAF_CHECK(c->is_lost());
  CAF_CHECK(steady::now() - begun < 5s);
  CAF_CHECK(!c->execute("SELECT 1", {}));
}

CAF_TEST(a statement that takes too long is ended on the server too) {
  if (is_skipped())
    return;
  auto c = through(hasty);
  const auto why = refusal(c->execute("SELECT pg_sleep(61)", {}));
  CAF_CHECK_EQUAL(why.code(), errc::timed_out);
  CAF_CHECK(comes_to_rest("pg_sleep(61)"));
}

CAF_TEST(an answer that comes late and in time is an answer) {
  if (is_skipped())
    return;
  auto c = through();
  between->arm(fault::stall, "41");
  std::thread healer{[this] {
    while (!between->holds_reply())
      std::this_thread::yield();
    between->heal();
  }};
  const auto rows = c->execute("SELECT 41 + 1", {});
  healer.join();
  CAF_CHECK_EQUAL(unbox(rows).rows->at(0, 0).to_display(), "42");
}

CAF_TEST(a commit that is cut off is in doubt and the table knows) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  const struct {
    fault what;
    std::int64_t rows;
  } cases[] = {
    {fault::cut_before, 0}, {fault::cut_after, 1}, {fault::stall, 1}};
  for (const auto& c : cases) {
    run("TRUNCATE " + schema() + ".t");
    auto session = through(hasty);
    unbox(session->begin());
    unbox(session->execute("INSERT INTO " + schema() + ".t VALUES (1)", {}));
    between->arm(c.what, "COMMIT");
    const auto why = refusal(session->commit());
    CAF_CHECK(why.is_outcome_unknown());
    CAF_CHECK(session->is_lost());
    between->heal();
    session.reset();
    CAF_CHECK(comes_to_rest("INSERT INTO"));
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + schema() + ".t"), c.rows);
  }
}

CAF_TEST(a loss inside a transaction is no doubt) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  auto c = through(hasty);
  unbox(c->begin());
  between->arm(fault::cut_after, "INSERT");
  const auto why = refusal(
    c->execute("INSERT INTO " + schema() + ".t VALUES (1)", {}));
  CAF_CHECK_EQUAL(why.code(), errc::connection_lost);
}

CAF_TEST(a lease settlement cut off is in doubt and is read back) {
  if (is_skipped())
    return;
  const struct {
    fault what;
    how truth;
  } cases[] = {{fault::cut_before, how::held}, {fault::cut_after, how::done}};
  for (const auto& c : cases) {
    auto session = through(hasty);
    const auto t = claimed(*session);
    between->arm(c.what);
    const auto result = session->run(t, unbox(db().clock()));
    between->heal();
    CAF_REQUIRE(result.session_lost.has_value());
    CAF_CHECK(result.settlements[0].went == how::unknown);
    CAF_CHECK(read_back(t) == c.truth);
    run("UPDATE " + table + " SET locked_until = NULL, attempt = 1");
  }
}

CAF_TEST(a stalled lease settlement is in doubt after its time-out) {
  if (is_skipped())
    return;
  auto session = through(hasty);
  auto t = claimed(*session);
  t.claim = claim_order{2, 1};
  between->arm(fault::stall);
  const auto result = session->run(t, unbox(db().clock()));
  between->heal();
  CAF_CHECK(result.settlements[0].went == how::unknown);
  CAF_CHECK_EQUAL(refusal(*result.claim).code(), errc::timed_out);
  CAF_CHECK_EQUAL(result.session_lost.value().code(), errc::timed_out);
  CAF_CHECK(read_back(t) == how::done);
}

CAF_TEST(a row lock settlement cut off is in doubt and happened or not) {
  if (is_skipped())
    return;
  serve_locks();
  for (const auto what : {fault::cut_before, fault::cut_after}) {
    auto session = through(hasty);
    const auto t = claimed(*session);
    between->arm(what);
    const auto result = session->run(t, unbox(db().clock()));
    between->heal();
    CAF_CHECK(result.settlements[0].went == how::unknown);
    session.reset();
    CAF_CHECK(comes_to_rest("jobs"));
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table),
                    what == fault::cut_before ? 1 : 0);
  }
}

CAF_TEST(a wait for a lock ends at the time-out and gives up its place) {
  if (is_skipped())
    return;
  auto holder = connect();
  unbox(holder->begin());
  unbox(holder->execute("SELECT * FROM " + table + " FOR UPDATE", {}));
  auto c = through(hasty);
  const auto why = refusal(
    c->execute("DELETE FROM " + table + " /* waits */", {}));
  CAF_CHECK(why.is_outcome_unknown()); // a write, and nobody said what it did
  c.reset();
  CAF_CHECK(comes_to_rest("/* waits */"));
  holder->roll_back();
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
}

CAF_TEST_FIXTURE_SCOPE_END()
