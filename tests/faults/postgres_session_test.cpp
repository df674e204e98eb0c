#define CAF_SUITE postgres_session
#include "inbox/test/postgres.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

CAF_TEST_FIXTURE_SCOPE(postgres_session_tests, test::postgres_fixture)

CAF_TEST(a session says what it talks to) {
  if (is_skipped())
    return;
  auto c = std::make_unique<postgres::connection>(where(), session_settings{});
  const auto facts = unbox(c->open());
  CAF_CHECK_EQUAL(facts.product, "PostgreSQL");
  CAF_CHECK(std::isdigit(static_cast<unsigned char>(facts.version[0])) != 0);
  CAF_CHECK(facts.version.find(' ') == std::string::npos);
}

CAF_TEST(a session pins time zone and isolation whatever the database says) {
  if (is_skipped())
    return;
  run("ALTER ROLE CURRENT_USER SET default_transaction_isolation = "
      "'serializable'");
  run("ALTER ROLE CURRENT_USER SET TimeZone = 'Asia/Kathmandu'");
  auto fresh = connect();
  const auto seen = unbox(fresh->execute(
    "SELECT current_setting('TimeZone'), current_setting('client_encoding'), "
    "current_setting('transaction_isolation'), "
    "current_setting('application_name')",
    {}));
  run("ALTER ROLE CURRENT_USER RESET ALL");
  CAF_CHECK_EQUAL(seen.rows->at(0, 0).to_display(), "UTC");
  CAF_CHECK_EQUAL(seen.rows->at(0, 1).to_display(), "UTF8");
  CAF_CHECK_EQUAL(seen.rows->at(0, 2).to_display(), "read committed");
  CAF_CHECK_EQUAL(seen.rows->at(0, 3).to_display(), "inbox");
}

CAF_TEST(a refused statement says why with its SQLSTATE and leaves the session) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".u (id int PRIMARY KEY)");
  run("INSERT INTO " + schema() + ".u VALUES (1)");
  const struct {
    std::string text;
    errc code;
    const char* native;
  } cases[] = {
    {"INSERT INTO " + schema() + ".u VALUES ($1)", errc::constraint, "23505"},
    {"SELECT $1::int FROM nowhere", errc::schema, "42P01"},
    {"SELECT nothing, $1::int FROM " + schema() + ".u", errc::schema, "42703"},
    {"SELEC $1", errc::statement, "42601"},
    {"SELECT $1::int / 0", errc::statement, "22012"},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.text);
    const value values[] = {value{1}};
    const auto why = refusal(db().execute(c.text, values));
    CAF_CHECK_EQUAL(why.code(), c.code);
    CAF_CHECK_EQUAL(why.native(), c.native);
    CAF_CHECK_EQUAL(why.statement(), c.text);
  }
  CAF_CHECK_EQUAL(count("SELECT 41 + 1"), 42);
}

CAF_TEST(a transaction commits or rolls back) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  unbox(db().begin());
  run("INSERT INTO " + schema() + ".t VALUES ($1)", {1});
  db().roll_back();
  unbox(db().begin());
  run("INSERT INTO " + schema() + ".t VALUES ($1)", {2});
  unbox(db().commit());
  CAF_CHECK_EQUAL(count("SELECT sum(id)::int FROM " + schema() + ".t"), 2);
  unbox(db().begin());
  const value none[] = {value{0}};
  CAF_CHECK_EQUAL(refusal(db().execute("SELECT 1 / $1::int", none)).code(),
                  errc::statement);
  CAF_CHECK_EQUAL(refusal(db().commit()).code(), errc::statement);
  CAF_CHECK_EQUAL(count("SELECT 1"), 1);
}

CAF_TEST(the number of affected rows is told) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  const value values[] = {value{3}};
  const auto done = unbox(db().execute(
    "INSERT INTO " + schema() + ".t SELECT generate_series(1, $1)", values));
  CAF_CHECK_EQUAL(done.affected, 3u);
  CAF_CHECK_EQUAL(done.rows->size(), 0u);
}

CAF_TEST(the clock is that of the server) {
  if (is_skipped())
    return;
  const auto apart = unbox(db().clock()) - host_now();
  CAF_CHECK(apart < 10s && apart > -10s);
}

CAF_TEST(a statement is prepared anew when its table has changed - B64) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int, payload text)");
  run("INSERT INTO " + schema() + ".t VALUES (1, 'a')");
  const auto text = "SELECT payload FROM " + schema() + ".t WHERE id = $1";
  CAF_CHECK(run(text, {1})->at(0, 0).kind() == value_kind::text);
  auto other = connect();
  unbox(other->execute("ALTER TABLE " + schema()
                         + ".t ALTER payload TYPE bytea USING payload::bytea",
                       {}));
  CAF_CHECK(run(text, {1})->at(0, 0).kind() == value_kind::bytes);
  unbox(db().execute("DEALLOCATE ALL", {})); // as some poolers do: 26000
  CAF_CHECK(run(text, {1})->at(0, 0).kind() == value_kind::bytes);
}

CAF_TEST(many different texts do not fill the server) {
  if (is_skipped())
    return;
  for (int i = 0; i < 1200; ++i)
    run("SELECT " + std::to_string(i) + " + $1::int", {1});
  CAF_CHECK(count("SELECT count(*) FROM pg_prepared_statements") <= 500);
}

CAF_TEST(a killed session says so and stays lost - B73) {
  if (is_skipped())
    return;
  auto other = connect();
  unbox(other->begin());
  kill(*other);
  const auto why = refusal(other->execute("SELECT 1", {}));
  CAF_CHECK_EQUAL(why.code(), errc::connection_lost);
  CAF_CHECK(other->is_lost());
  CAF_CHECK_EQUAL(refusal(other->execute("SELECT 1", {})).code(),
                  errc::connection_lost);
  CAF_CHECK_EQUAL(refusal(other->begin()).code(), errc::connection_lost);
}

CAF_TEST(a write whose session ends may have happened and says so) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  auto other = connect();
  kill(*other);
  const auto why = refusal(
    other->execute("INSERT INTO " + schema() + ".t VALUES (1)", {}));
  CAF_CHECK(why.is_outcome_unknown());
  CAF_CHECK(why.is_session_lost());
}

CAF_TEST(a server that takes no writes loses the session - B66) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".t (id int)");
  auto other = connect();
  unbox(other->execute("SET default_transaction_read_only = on", {}));
  const auto why = refusal(
    other->execute("INSERT INTO " + schema() + ".t VALUES (1)", {}));
  CAF_CHECK_EQUAL(why.code(), errc::read_only);
  CAF_CHECK(other->is_lost());
}

CAF_TEST(B65 a session at rest that the server ended says so unasked) {
  if (is_skipped())
    return;
  auto idle = connect();
  CAF_CHECK(!idle->has_ended());
  unbox(idle->execute("SELECT 1", {}));
  CAF_CHECK(!idle->has_ended());
  kill(*idle);
  CAF_CHECK(idle->has_ended());
  CAF_CHECK(!idle->is_lost()); // nobody has used it yet
  CAF_CHECK(postgres::connection(where(), {}).has_ended());
}

CAF_TEST_FIXTURE_SCOPE_END()
