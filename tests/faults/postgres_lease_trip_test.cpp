#define CAF_SUITE postgres_lease_trip
#include "inbox/test/postgres.hpp"

#include <set>

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

struct lease_fixture : test::postgres_fixture {
  lease_fixture() {
    if (is_skipped())
      return;
    auto s = test::jobs_of(schema(), true);
    run(unbox(postgres::dialect{}.ddl(s)));
    statements = unbox(postgres::dialect{}.build(s));
    table = schema() + ".jobs";
  }

  void enqueue(int n) {
    for (int i = 0; i < n; ++i)
      run("INSERT INTO " + table + " (name, payload) VALUES ($1, $2)",
          {"emails", value::bytes("p" + std::to_string(i))});
  }

  trip ask(std::uint32_t limit) {
    trip t;
    t.statements = statements;
    t.claim = claim_order{++orders, limit};
    return t;
  }

  claimed_rows claim(postgres::connection& on, std::uint32_t limit) {
    auto result = on.run(ask(limit), unbox(db().clock()));
    CAF_REQUIRE(result.claim.has_value());
    return unbox(std::move(*result.claim));
  }

  settlement end(const claimed_rows& rows, std::size_t i, event what,
                 duration delay = {}) {
    return {what, ++deliveries, value::copy_of(rows.rows->at(i, 0)),
            token{*rows.locked_until, *rows.rows->at(i, 3).as_integer() + 1},
            delay};
  }

  trip_result settle(postgres::connection& on, std::vector<settlement> ends) {
    trip t;
    t.statements = statements;
    t.settlements = std::move(ends);
    return on.run(t, unbox(db().clock()));
  }

  shared_statements statements;
  std::string table;
  std::uint64_t orders = 0;
  delivery_number deliveries = 0;
};

using how = settled::how;

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_lease_trip_tests, lease_fixture)

CAF_TEST(a claim leases due rows and reports them as they were) {
  if (is_skipped())
    return;
  unbox(db().prepare(statements));
  enqueue(3);
  const auto rows = claim(db(), 2);
  CAF_CHECK_EQUAL(rows.asked, 2u);
  CAF_CHECK_EQUAL(rows.number, 1u);
  CAF_REQUIRE_EQUAL(rows.rows->size(), 2u);
  CAF_CHECK_EQUAL(rows.rows->columns().size(), 6u);
  CAF_CHECK(rows.rows->at(0, 0) == value{1}.view());
  CAF_CHECK(rows.rows->at(1, 0) == value{2}.view());
  CAF_CHECK_EQUAL(rows.rows->at(0, 1).to_display(), "emails");
  CAF_CHECK(rows.rows->at(0, 3) == value{1}.view());
  CAF_CHECK(rows.rows->at(0, 4).is_null());
  CAF_CHECK(rows.rows->at(0, 5) == value_view::bytes("p0"));
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table
                        + " WHERE attempt = 2 AND locked_until > now()"),
                  2);
  // The token the delivery holds is the one in the row, to the microsecond.
  CAF_CHECK(run("SELECT locked_until FROM " + table + " WHERE id = 1")
              ->at(0, 0)
              .as_time()
            == *rows.locked_until);
  CAF_CHECK_EQUAL(claim(db(), 5).rows->size(), 1u);
  CAF_CHECK_EQUAL(claim(db(), 5).rows->size(), 0u);
}

CAF_TEST(one trip settles each row its own way and claims the next) {
  if (is_skipped())
    return;
  enqueue(7);
  const auto rows = claim(db(), 5);
  CAF_REQUIRE_EQUAL(rows.rows->size(), 5u);
  auto t = ask(2);
  t.settlements = {end(rows, 0, event::ack), end(rows, 1, event::retry),
                   end(rows, 2, event::retry_after, 1h),
                   end(rows, 3, event::unclaim),
                   end(rows, 4, event::dead_letter)};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(!result.session_lost);
  CAF_REQUIRE_EQUAL(result.settlements.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    CAF_CHECK_EQUAL(result.settlements[i].delivery, t.settlements[i].delivery);
    CAF_CHECK(result.settlements[i].went == how::done);
  }
  // In claim order: 2 and 4 came back before 6 and 7.
  const auto& next = unbox(*result.claim).rows;
  CAF_REQUIRE_EQUAL(next->size(), 2u);
  CAF_CHECK(next->at(0, 0) == value{2}.view());
  CAF_CHECK(next->at(0, 3) == value{2}.view()); // counted at its first claim
  CAF_CHECK(next->at(1, 0) == value{4}.view());
  CAF_CHECK(next->at(1, 3) == value{1}.view()); // as if never claimed
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table + " WHERE id = 1"), 0);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table
                        + " WHERE id = 3 AND locked_until IS NULL AND "
                          "retry_after > now() + interval '59 minutes'"),
                  1);
  CAF_CHECK_EQUAL(one("SELECT name FROM " + table + " WHERE id = 5"),
                  "emails.dead");
}

CAF_TEST(a late holder changes nothing - C-154) {
  if (is_skipped())
    return;
  enqueue(2);
  const auto rows = claim(db(), 2);
  run("UPDATE " + table
      + " SET locked_until = locked_until + interval '1s' "
        "WHERE id = 1");
  const auto result = settle(
    db(), {end(rows, 0, event::ack), end(rows, 1, event::ack)});
  CAF_CHECK(result.settlements[0].went == how::lost);
  CAF_CHECK(result.settlements[1].went == how::done);
  CAF_CHECK_EQUAL(one("SELECT string_agg(id::text, ',') FROM " + table), "1");
}

CAF_TEST(an extension answers with the new token) {
  if (is_skipped())
    return;
  enqueue(2);
  const auto rows = claim(db(), 2);
  trip t;
  t.statements = statements;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto s = end(rows, i, event::ack);
    t.extensions.push_back({s.delivery, s.id, *s.held});
  }
  t.extensions[1].held.attempt = 9; // somebody else's claim
  const auto result = db().run(t, rows.claimed_at + 10s);
  CAF_CHECK(result.extensions[0].went == how::done);
  CAF_REQUIRE(result.extensions[0].now_held.has_value());
  CAF_CHECK(result.extensions[0].now_held->locked_until
            == *rows.locked_until + 10s);
  CAF_CHECK(result.extensions[1].went == how::lost);
  CAF_CHECK(!result.extensions[1].now_held);
  auto late = end(rows, 0, event::ack);
  CAF_CHECK(settle(db(), {late}).settlements[0].went == how::lost);
  late.held = result.extensions[0].now_held;
  CAF_CHECK(settle(db(), {late}).settlements[0].went == how::done);
}

CAF_TEST(a failing row of a gathered settlement fails alone) {
  if (is_skipped())
    return;
  enqueue(4);
  run("CREATE FUNCTION " + schema()
      + ".refuse() RETURNS trigger AS $$ BEGIN "
        "IF OLD.id = 3 THEN RAISE EXCEPTION 'not this one' USING ERRCODE = "
        "'23514'; END IF; RETURN OLD; END $$ LANGUAGE plpgsql; "
        "CREATE TRIGGER refuse BEFORE DELETE ON "
      + table + " FOR EACH ROW EXECUTE FUNCTION " + schema() + ".refuse()");
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
  run("CREATE FUNCTION " + schema()
      + ".refuse() RETURNS trigger AS $$ BEGIN "
        "IF OLD.id = 2 THEN RAISE EXCEPTION 'late'; END IF; RETURN OLD; END $$ "
        "LANGUAGE plpgsql; CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON "
      + table + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
      + schema() + ".refuse()");
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

CAF_TEST(conflicts are tried again and no more than a few times - B11 B33) {
  if (is_skipped())
    return;
  enqueue(1);
  run("CREATE SEQUENCE " + schema() + ".tries; CREATE FUNCTION " + schema()
      + ".refuse() RETURNS trigger AS $$ BEGIN IF nextval('" + schema()
      + ".tries') < TG_ARGV[0]::int THEN RAISE EXCEPTION 'busy' USING ERRCODE "
        "= '40P01'; END IF; RETURN OLD; END $$ LANGUAGE plpgsql; "
        "CREATE TRIGGER refuse BEFORE DELETE ON "
      + table + " FOR EACH ROW EXECUTE FUNCTION " + schema() + ".refuse(100)");
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

CAF_TEST(ids of other types are settled too) {
  if (is_skipped())
    return;
  for (const auto* type : {"uuid", "text", "numeric", "bytea", "varchar(40)",
                           "smallint", "timestamptz", "citext_like"}) {
    CAF_MESSAGE(type);
    run("DROP TABLE " + table
        + "; DROP DOMAIN IF EXISTS citext_like; "
          "CREATE DOMAIN citext_like AS text");
    run("CREATE TABLE " + table + " (id " + type
        + " PRIMARY KEY, name text, "
          "retry_after timestamptz DEFAULT now(), attempt int DEFAULT 1, "
          "locked_until timestamptz, payload bytea)");
    const auto literal = std::string{type} == "timestamptz"
                           ? "now() + interval '1 second' * i"
                         : std::string{type} == "uuid"
                           ? "md5(i::text)::uuid"
                           : "(i::text)::" + std::string{type};
    run("INSERT INTO " + table + " (id, name) SELECT " + literal
        + ", 'emails' FROM generate_series(1, 3) i");
    auto fresh = connect();
    unbox(fresh->prepare(statements));
    const auto rows = claim(*fresh, 3);
    CAF_REQUIRE_EQUAL(rows.rows->size(), 2u); // sizes are 1, 2, 5, ..
    const auto result = settle(
      *fresh, {end(rows, 0, event::ack), end(rows, 1, event::ack)});
    CAF_CHECK(result.settlements[0].went == how::done);
    CAF_CHECK(result.settlements[1].went == how::done);
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
  }
  run("DROP TABLE " + table + "; DROP DOMAIN citext_like");
}

CAF_TEST_FIXTURE_SCOPE_END()
