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

CAF_TEST(bytes come back exactly) {
  if (is_skipped())
    return;
  run("CREATE TABLE " + schema() + ".b (id int, octets bytea)");
  std::string every;
  for (int i = 0; i < 256; ++i)
    every += static_cast<char>(i);
  const std::string large(16u << 20, '\xff');
  for (const auto& octets :
       {std::string{}, std::string{"\0", 1}, every, large}) {
    run("TRUNCATE " + schema() + ".b");
    run("INSERT INTO " + schema() + ".b VALUES ($1, $2)",
        {1, value::bytes(octets)});
    // Both ways back: binary, and the hexadecimal text of a plain query.
    for (const auto& rows :
         {run("SELECT octets FROM " + schema() + ".b WHERE id = $1", {1}),
          run("SELECT octets FROM " + schema() + ".b")}) {
      CAF_REQUIRE_EQUAL(rows->size(), 1u);
      CAF_CHECK(rows->at(0, 0).kind() == value_kind::bytes);
      CAF_CHECK(rows->at(0, 0).as_octets() == std::string_view{octets});
    }
  }
}

CAF_TEST(every kind of value goes there and back) {
  if (is_skipped())
    return;
  const auto t = unbox([] {
    return expected<time_point>{*parse_time("2026-02-03T04:05:06.789012Z")};
  }());
  const struct {
    const char* type;
    value in;
    value_kind kind;
    std::string shown;
  } cases[] = {
    {"smallint", -32768, value_kind::integer, "-32768"},
    {"integer", 2147483647, value_kind::integer, "2147483647"},
    {"bigint", std::int64_t{-9007199254740993}, value_kind::integer,
     "-9007199254740993"},
    {"boolean", true, value_kind::boolean, "true"},
    {"double precision", 0.1, value_kind::real, "0.10000000000000001"},
    {"real", 0.5, value_kind::real, "0.5"},
    {"numeric", "-12345678901234567890.0012300", value_kind::decimal,
     "-12345678901234567890.0012300"},
    {"numeric", "0.00001", value_kind::decimal, "0.00001"},
    {"numeric", "1000000", value_kind::decimal, "1000000"},
    {"numeric", "NaN", value_kind::decimal, "NaN"},
    {"numeric(10,2)", 7, value_kind::decimal, "7.00"},
    {"text", "naïve ☃", value_kind::text, "naïve ☃"},
    {"varchar(20)", "x", value_kind::text, "x"},
    {"json", "{\"a\": 1}", value_kind::json, "{\"a\": 1}"},
    {"jsonb", value::json("{\"a\":1}"), value_kind::json, "{\"a\": 1}"},
    {"jsonb", value::bytes(std::string{"[1]"}), value_kind::json, "[1]"},
    {"uuid", "3F2504E0-4f89-11d3-9a0c-0305e82c3301", value_kind::text,
     "3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
    {"timestamptz", t, value_kind::time, "2026-02-03T04:05:06.789012Z"},
    {"timestamp", t, value_kind::time, "2026-02-03T04:05:06.789012Z"},
    {"timestamptz", time_point::max(), value_kind::time, ""},
    {"timestamptz", time_point::min(), value_kind::time, ""},
    {"date", t, value_kind::time, "2026-02-03T00:00:00.000000Z"},
    {"interval", "1 day", value_kind::text, "1 day"},
    {"inet", "10.0.0.1", value_kind::text, "10.0.0.1"},
    {"text", value{}, value_kind::null, "NULL"},
    {"bytea", "a\\b", value_kind::bytes, "615c62"},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.type);
    const auto text = std::string{"SELECT $1::"} + c.type;
    const auto rows = run(text, {c.in});
    CAF_CHECK_EQUAL(rows->at(0, 0).kind(), c.kind);
    if (!c.shown.empty())
      CAF_CHECK_EQUAL(rows->at(0, 0).to_display(), c.shown);
    if (c.shown.empty())
      CAF_CHECK(rows->at(0, 0) == c.in.view());
  }
}

CAF_TEST(a column of an unknown type makes the row text and loses nothing) {
  if (is_skipped())
    return;
  const auto rows = run("SELECT 1::bigint, true, '\\x00ff'::bytea, "
                        "'1 day'::interval, now()::timestamptz(0), 2.5::float8,"
                        " 1.50::numeric, NULL::int WHERE $1",
                        {true});
  CAF_CHECK(rows->at(0, 0) == value{1}.view());
  CAF_CHECK(rows->at(0, 1) == value{true}.view());
  CAF_CHECK_EQUAL(rows->at(0, 2).to_display(), "00ff");
  CAF_CHECK_EQUAL(rows->at(0, 3).to_display(), "1 day");
  CAF_CHECK(rows->at(0, 4).as_time().has_value());
  CAF_CHECK(rows->at(0, 5) == value{2.5}.view());
  CAF_CHECK(rows->at(0, 6) == value_view::decimal("1.50"));
  CAF_CHECK(rows->at(0, 7).is_null());
}

CAF_TEST(a value that does not fit its column is refused before it is sent) {
  if (is_skipped())
    return;
  const struct {
    const char* type;
    value in;
  } cases[] = {
    {"smallint", 40000},
    {"integer", time_point{}},
    {"timestamptz", 5},
    {"integer", value::bytes(std::string{"1"})},
    {"inet", value{std::string{"10.0.0.1\0", 9}}},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.type);
    const value values[] = {c.in};
    const auto why = refusal(
      db().execute(std::string{"SELECT $1::"} + c.type, values));
    CAF_CHECK_EQUAL(why.code(), errc::wrong_type);
    CAF_CHECK(!db().is_lost());
  }
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

CAF_TEST(a login that is refused names no password) {
  if (is_skipped())
    return;
  run("DROP ROLE IF EXISTS nobody_in; CREATE ROLE nobody_in NOLOGIN "
      "PASSWORD 'other'");
  const struct {
    const char* user;
    const char* database;
    errc code;
  } cases[] = {
    {"nobody_in", "", errc::login_refused},
    {"not_there", "", errc::login_refused},
    {"", "no_such_database", errc::login_refused},
  };
  for (const auto& c : cases) {
    auto a = where();
    auto at = a.url.find("?");
    const auto rest = at == std::string::npos ? "" : a.url.substr(at);
    std::string user = *c.user ? c.user : "inbox";
    a.url = "postgres://" + user + ":hunter2%21@/"
            + (*c.database ? c.database : "inbox") + rest;
    a = unbox(postgres::read_address(a.url));
    postgres::connection refused{a, {}};
    const auto why = refusal(refused.open());
    CAF_MESSAGE(why.to_string());
    CAF_CHECK_EQUAL(why.code(), c.code);
    CAF_CHECK(why.to_string().find("hunter2") == std::string::npos);
  }
  run("DROP ROLE nobody_in");
}

CAF_TEST(a wrong password is refused and not shown) {
  if (is_skipped())
    return;
  // The tests' own server asks this one role for a password.
  run("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'");
  const auto open = [this](const std::string& user) {
    const auto url = where().url;
    auto changed = "postgres://" + user + "@/inbox"
                   + url.substr(std::min(url.find('?'), url.size()));
    postgres::connection c{unbox(postgres::read_address(changed)), {}};
    return c.open();
  };
  CAF_CHECK(open("locked:right").has_value());
  auto why = refusal(open("locked:hunter2"));
  CAF_CHECK_EQUAL(why.code(), errc::login_refused);
  CAF_CHECK_EQUAL(why.native(), "28P01");
  CAF_CHECK(why.to_string().find("hunter2") == std::string::npos);
  why = refusal(open("locked")); // and none given
  CAF_CHECK_EQUAL(why.code(), errc::login_refused);
  run("DROP ROLE locked");
}

CAF_TEST(a server that is not there is reported as such) {
  if (is_skipped())
    return;
  postgres::connection c{
    unbox(postgres::read_address("postgres://u:secret@127.0.0.1:1/x")), {}};
  const auto why = refusal(c.open());
  CAF_MESSAGE(why.to_string());
  CAF_CHECK_EQUAL(why.code(), errc::connect);
  CAF_CHECK(why.is_retryable());
  CAF_CHECK(why.to_string().find("secret") == std::string::npos);
}

CAF_TEST_FIXTURE_SCOPE_END()
