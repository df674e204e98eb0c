#define CAF_SUITE sqlite_values
#include "inbox/test/unit.hpp"

#include <cmath>
#include <limits>

#include "file_fixture.hpp"

using namespace inbox;
using namespace inbox::test;

CAF_TEST_FIXTURE_SCOPE(values, file_fixture)

CAF_TEST(a payload comes back byte for byte) {
  auto on = open();
  const auto with = statements();
  const std::string bodies[] = {
    "",
    std::string{"a\0b", 3},
    "\xff\xfe\x80",
    std::string(256, '\0'),
    std::string(257, '\xff'),
    std::string(16 << 20, '\x01'),
  };
  for (const auto& body : bodies) {
    CAF_MESSAGE(body.size() << " bytes");
    execute(*on,
            "INSERT INTO jobs (name, due, body) VALUES "
            "('emails', '2026-01-01', ?)",
            {value::bytes(body)});
    const auto claimed = claim(*on, with);
    CAF_REQUIRE_EQUAL(claimed.rows->size(), 1u);
    const auto seen = claimed.rows->at(0, 5);
    CAF_CHECK(seen.kind() == value_kind::bytes);
    CAF_CHECK(*seen.as_octets() == body);
    settle(*on, with, {end_of(claimed, 0)});
  }
}

CAF_TEST(every kind of value comes back as SQLite stores it) {
  auto on = open();
  const value cases[] = {
    value{},
    value{std::numeric_limits<std::int64_t>::max()},
    value{std::numeric_limits<std::int64_t>::min()},
    value{0.1},
    value{std::numeric_limits<double>::infinity()},
    value{std::string{"text with \0 inside", 18}},
    value{""},
    value{std::string(100'000, 'x')},
    value::bytes(std::string{}),
    value::bytes(std::string{"\0\xff", 2}),
  };
  for (const auto& v : cases) {
    CAF_MESSAGE(v.view().to_display());
    const auto rows = execute(*on, "SELECT ?", {v}).rows;
    CAF_CHECK(rows->at(0, 0) == v.view());
  }
}

CAF_TEST(kinds that SQLite lacks are stored in their documented forms) {
  auto on = open();
  const struct {
    value given;
    const char* stored;
  } cases[] = {
    {value{true}, "integer 1"},
    {value::json("{}"), "text {}"},
    {value{now + 5us}, "text 2026-01-02 03:04:05.000005"},
    {value::copy_of(value_view::decimal("1.50")), "text 1.50"},
  };
  for (const auto& c : cases)
    CAF_CHECK_EQUAL(execute(*on, "SELECT typeof(?1) || ' ' || ?1", {c.given})
                      .rows->at(0, 0)
                      .to_display(),
                    c.stored);
}

CAF_TEST(a claim types columns as the description says) {
  auto on = open();
  execute(*on, "ALTER TABLE jobs ADD COLUMN urgent INTEGER;"
               "ALTER TABLE jobs ADD COLUMN meta TEXT;"
               "ALTER TABLE jobs ADD COLUMN seen TIMESTAMP;"
               "INSERT INTO jobs (name, due, urgent, meta, seen) VALUES "
               "('emails', '2026-01-01', 1, '{}', 2461041.5),"
               "('emails', '2026-01-01', 'maybe', x'00', 'soon')");
  auto spec = jobs();
  spec.columns.push_back(
    {"urgent", column_role::data, false, column_type::boolean});
  spec.columns.push_back({"meta", column_role::data, false, column_type::json});
  spec.columns.push_back({"seen", column_role::data, false, column_type::time});
  const auto rows = claim(*on, statements(spec)).rows;
  CAF_CHECK(rows->at(0, 6) == value_view::of(true));
  CAF_CHECK(rows->at(0, 7) == value_view::json("{}"));
  CAF_CHECK_EQUAL(rows->at(0, 8).to_display(), "2026-01-01T00:00:00.000000Z");
  CAF_CHECK(rows->at(1, 6) == value_view::text("maybe"));
  CAF_CHECK(rows->at(1, 7).kind() == value_kind::bytes);
  CAF_CHECK(rows->at(1, 8) == value_view::text("soon"));
}

CAF_TEST(an execution counts the rows it wrote and returns those it was asked for) {
  auto on = open();
  const auto made = execute(*on, "INSERT INTO jobs (name) VALUES ('a'), ('b') "
                                 "RETURNING id");
  CAF_CHECK_EQUAL(made.affected, 2u);
  CAF_CHECK_EQUAL(made.rows->size(), 2u);
  CAF_CHECK_EQUAL(execute(*on, "SELECT * FROM jobs").affected, 0u);
  CAF_CHECK_EQUAL(execute(*on, "CREATE TABLE other (id)").affected, 0u);
  CAF_CHECK_EQUAL(
    execute(*on, "UPDATE jobs SET name = 'c' WHERE id > 9").affected, 0u);
  CAF_CHECK_EQUAL(execute(*on, "DELETE FROM jobs").affected, 2u);
}

CAF_TEST(a text of several statements runs them all and takes no values) {
  auto on = open();
  const auto last = execute(*on, "INSERT INTO jobs (id) VALUES (1); "
                                 "INSERT INTO jobs (id) VALUES (2);\n"
                                 "SELECT count(*) FROM jobs;");
  CAF_CHECK_EQUAL(last.rows->at(0, 0).to_display(), "2");
  const value one[] = {value{3}};
  CAF_CHECK(
    refusal(on->execute("INSERT INTO jobs (id) VALUES (?); SELECT 1", one))
      .code()
    == errc::statement);
  CAF_CHECK(
    refusal(on->execute("SELECT ?, ?", one)).message().find("2 placeholders")
    != std::string::npos);
  CAF_CHECK(
    refusal(on->execute("SELECT 1", one)).message().find("0 placeholders")
    != std::string::npos);
  CAF_CHECK_EQUAL(answer(*on, "SELECT count(*) FROM jobs"), "2");
}

CAF_TEST(who only reads waits for no writer) {
  auto writer = open();
  auto on = open();
  unbox(writer->begin());
  CAF_CHECK_EQUAL(answer(*on, "SELECT count(*) FROM jobs"), "0");
}

CAF_TEST(B75 a statement that fails leaves the next ones alone) {
  auto on = open();
  CAF_CHECK(refusal(on->execute("SELEC 1", {})).code() == errc::statement);
  CAF_CHECK(refusal(on->execute("SELECT x FROM nowhere", {})).code()
            == errc::schema);
  execute(*on, "INSERT INTO jobs (id) VALUES (1)");
  for (int i = 0; i < 2; ++i)
    CAF_CHECK(
      refusal(on->execute("INSERT INTO jobs (id) VALUES (1)", {})).code()
      == errc::constraint);
  CAF_CHECK(!on->is_lost());
  CAF_CHECK_EQUAL(answer(*on, "SELECT count(*) FROM jobs"), "1");
}

CAF_TEST(a transaction keeps all of its writes or none) {
  auto on = open();
  for (const bool keep : {false, true}) {
    unbox(on->begin());
    CAF_CHECK(refusal(on->begin()).code() == errc::would_block_itself);
    add(*on, 1);
    add(*on, 2);
    if (keep)
      unbox(on->commit());
    else
      on->roll_back();
    CAF_CHECK_EQUAL(answer(*open(), "SELECT count(*) FROM jobs"),
                    keep ? "2" : "0");
  }
}

CAF_TEST_FIXTURE_SCOPE_END()
