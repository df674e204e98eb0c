#define CAF_SUITE postgres_lease_trouble
#include "jobs_fixture.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

using how = settled::how;

struct leases : test::jobs_fixture {
  leases() {
    if (is_skipped())
      return;
    serve_leases();
    create();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_lease_trouble_tests, leases)

CAF_TEST(a failing row of a gathered settlement fails alone) {
  if (is_skipped())
    return;
  enqueue(4);
  before_deletes("IF OLD.id = 3 THEN RAISE EXCEPTION 'not this one' USING "
                 "ERRCODE = '23514'; END IF;");
  const auto rows = claim(db(), 5);
  auto t = ask(1);
  for (std::size_t i = 0; i < 4; ++i)
    t.settlements.push_back(end(rows, i, event::ack));
  const auto result = db().run(t, unbox(db().clock()));
  for (std::size_t i = 0; i < 4; ++i)
    CAF_CHECK(result.settlements[i].went == (i == 2 ? how::failed : how::done));
  const auto& why = *result.settlements[2].why;
  CAF_CHECK_EQUAL(why.code(), errc::constraint);
  CAF_CHECK_EQUAL(why.message(), "not this one");
  CAF_CHECK_EQUAL(why.statement(), "ack");
  CAF_CHECK_EQUAL(why.table(), table);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 0u);
  CAF_CHECK_EQUAL(one("SELECT string_agg(id::text, ',') FROM " + table), "3");
}

CAF_TEST(a constraint checked at the commit fails its row alone) {
  if (is_skipped())
    return;
  enqueue(3);
  before_deletes("IF OLD.id = 2 THEN RAISE EXCEPTION 'late'; END IF;",
                 "CONSTRAINT");
  const auto rows = claim(db(), 5);
  auto t = ask(1);
  for (std::size_t i = 0; i < 3; ++i)
    t.settlements.push_back(end(rows, i, event::ack));
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(!result.session_lost);
  for (std::size_t i = 0; i < 3; ++i)
    CAF_CHECK(result.settlements[i].went == (i == 1 ? how::failed : how::done));
  CAF_CHECK_EQUAL(one("SELECT string_agg(id::text, ',') FROM " + table), "2");
}

CAF_TEST(settlements and the claim behind them share a commit) {
  if (is_skipped())
    return;
  enqueue(2);
  run("CREATE TABLE " + schema() + ".deleted (by xid8)");
  before_deletes("INSERT INTO " + schema()
                 + ".deleted VALUES (pg_current_xact_id());");
  const auto rows = claim(db(), 1);
  auto t = ask(1);
  t.settlements = {end(rows, 0, event::ack)};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 1u);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table + " j, " + schema()
                        + ".deleted d WHERE j.xmin::text = d.by::text"),
                  1);
}

CAF_TEST(a refused claim takes no settlement with it) {
  if (is_skipped())
    return;
  enqueue(3);
  const auto rows = claim(db(), 2);
  before_leases("IF OLD.id = 3 THEN RAISE EXCEPTION 'not this one'; END IF;");
  auto t = ask(1);
  t.settlements = {end(rows, 0, event::ack), end(rows, 1, event::ack)};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK(result.settlements[1].went == how::done);
  CAF_CHECK_EQUAL(refusal(*result.claim).message(), "not this one");
  CAF_CHECK_EQUAL(refusal(*result.claim).statement(), "claim");
  CAF_CHECK_EQUAL(one("SELECT string_agg(id::text, ',') FROM " + table), "3");
}

CAF_TEST(conflicts are tried again and no more than a few times - B11 B33) {
  if (is_skipped())
    return;
  enqueue(1);
  run("CREATE SEQUENCE " + schema() + ".tries");
  before_deletes("IF nextval('" + schema()
                 + ".tries') < 100 THEN RAISE EXCEPTION 'busy' USING ERRCODE = "
                   "'40P01'; END IF;");
  const auto rows = claim(db(), 1);
  const auto ends = end(rows, 0, event::ack);
  auto result = settle(db(), {ends});
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK_EQUAL(result.settlements[0].why->code(), errc::conflict);
  const auto tries = count("SELECT last_value FROM " + schema() + ".tries");
  CAF_CHECK(tries > 3 && tries < 20);
  run("SELECT setval('" + schema() + ".tries', 97)");
  result = settle(db(), {ends});
  CAF_CHECK(result.settlements[0].went == how::done);
}

CAF_TEST(an ALTER TABLE in between changes nothing - B64) {
  if (is_skipped())
    return;
  enqueue(3);
  const auto rows = claim(db(), 2);
  auto other = connect();
  unbox(other->execute("ALTER TABLE " + table + " ADD extra text; ALTER TABLE "
                         + table + " ALTER id TYPE int; ALTER TABLE " + table
                         + " ALTER payload TYPE text USING "
                           "encode(payload, 'escape')",
                       {}));
  auto t = ask(1);
  t.settlements = {end(rows, 0, event::ack), end(rows, 1, event::retry)};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK(result.settlements[1].went == how::done);
  const auto next = unbox(*result.claim).rows;
  CAF_REQUIRE_EQUAL(next->size(), 1u);
  CAF_CHECK(next->at(0, 5) == value_view::text("p1"));
}

CAF_TEST(prepare names table and statement when something is missing - C-103) {
  if (is_skipped())
    return;
  const struct {
    const char* change;
    const char* word;
    const char* native;
  } cases[] = {
    {"RENAME attempt TO attempts", "\"attempt\"", "42703"},
    {"RENAME TO gone", "jobs", "42P01"},
    {"ALTER locked_until TYPE text", "locked_until", ""},
    {"ALTER attempt DROP DEFAULT, ALTER attempt TYPE boolean USING true", "",
     ""},
    {"ALTER payload TYPE int USING 1", "payload", ""},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.change);
    auto fresh = connect();
    unbox(fresh->begin());
    unbox(fresh->execute("ALTER TABLE " + table + " " + c.change, {}));
    const auto why = refusal(fresh->prepare(statements));
    CAF_MESSAGE(why.to_string());
    CAF_CHECK_EQUAL(why.code(), errc::schema);
    CAF_CHECK_EQUAL(why.table(), table);
    CAF_CHECK_EQUAL(why.statement(), "claim");
    CAF_CHECK(why.message().find(c.word) != std::string::npos);
    if (*c.native)
      CAF_CHECK_EQUAL(why.native(), c.native);
  }
}

CAF_TEST(a lease over child tables is refused at prepare) {
  if (is_skipped())
    return;
  auto fresh = connect();
  unbox(fresh->begin());
  unbox(fresh->execute(
    "CREATE TABLE " + schema() + ".child () INHERITS (" + table + ")", {}));
  const auto why = refusal(fresh->prepare(statements));
  CAF_CHECK_EQUAL(why.code(), errc::unsupported_form);
  CAF_CHECK_EQUAL(why.table(), table);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
}

CAF_TEST(an unknown outcome is read back - the row decides) {
  if (is_skipped())
    return;
  enqueue(2);
  const auto rows = claim(db(), 2);
  const auto gone = end(rows, 0, event::ack);
  const auto kept = end(rows, 1, event::ack);
  CAF_CHECK(settle(db(), {gone}).settlements[0].went == how::done);
  trip t;
  t.statements = statements;
  t.read_backs = {gone, kept};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(result.read_backs[0].went == how::done);
  CAF_CHECK(result.read_backs[1].went == how::held);
}

CAF_TEST(a session killed beforehand leaves settlements unknown) {
  if (is_skipped())
    return;
  enqueue(2);
  auto other = connect();
  unbox(other->prepare(statements));
  const auto rows = claim(*other, 1);
  kill(*other);
  auto t = ask(1);
  t.settlements = {end(rows, 0, event::ack)};
  auto result = other->run(t, unbox(db().clock()));
  CAF_REQUIRE(result.session_lost.has_value());
  CAF_CHECK(result.settlements[0].went == how::unknown);
  CAF_CHECK(result.settlements[0].why->is_outcome_unknown());
  CAF_CHECK_EQUAL(refusal(*result.claim).code(), errc::connection_lost);
  // A session known to be lost sends nothing, and so nothing is in doubt.
  result = other->run(t, unbox(db().clock()));
  CAF_REQUIRE(result.session_lost.has_value());
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK(!result.claim->has_value());
}

CAF_TEST_FIXTURE_SCOPE_END()
