#define CAF_SUITE postgres_values
#include "inbox/test/postgres.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

CAF_TEST_FIXTURE_SCOPE(postgres_values_tests, test::postgres_fixture)

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

CAF_TEST_FIXTURE_SCOPE_END()
