#define CAF_SUITE sqlite_times
#include "inbox/test/unit.hpp"

#include "file_fixture.hpp"
#include "inbox/sqlite/times.hpp"

using namespace inbox;
using namespace inbox::test;

CAF_TEST(times that sort as text are told from the others) {
  for (const auto* text :
       {"2026-01-02", "2026-01-02 03:04", "2026-01-02 03:04:05",
        "2026-01-02 03:04:05.6", "2026-01-02 03:04:05.678901"})
    CAF_CHECK(sqlite::is_plain_time(value_view::text(text)));
  CAF_CHECK(sqlite::is_plain_time(value_view{}));
  for (const auto* text :
       {"", "soon", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z",
        "2026-01-02 03:04:05+02:00", "2026-13-02", "2026-01-02  03:04",
        "2026-01-02 03:04:05 ", "03:04:05", "2461042.5"})
    CAF_CHECK(!sqlite::is_plain_time(value_view::text(text)));
  CAF_CHECK(!sqlite::is_plain_time(value_view::of(2461042.5)));
  CAF_CHECK(!sqlite::is_plain_time(value_view::bytes("2026-01-02")));
}

CAF_TEST(a number is a Julian day and nothing else) {
  const auto midnight = time_point{std::chrono::seconds{1'767'225'600}};
  CAF_CHECK(sqlite::read_time(value_view::of(2461041.5)) == midnight);
  CAF_CHECK(sqlite::read_time(value_view::of(std::int64_t{2461042}))
            == midnight + 12h);
  CAF_CHECK(!sqlite::read_time(value_view::of(std::int64_t{1'767'225'600})));
  CAF_CHECK(!sqlite::read_time(value_view::of(-1.0)));
  CAF_CHECK(!sqlite::read_time(value_view::text("soon")));
}

namespace {

struct shapes : file_fixture {
  /// What a claim takes after the next look. Looking takes a small part of the
  /// time, so the look may have to wait.
  list soon_claimed(connection& on, const shared_statements& with) const {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    auto seen = ids(claim(on, with));
    while (seen.empty() && std::chrono::steady_clock::now() < deadline)
      seen = ids(claim(on, with));
    return seen;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(shape_tests, shapes)

CAF_TEST(a column default of CURRENT_TIMESTAMP stays with the plain statements) {
  auto on = open();
  execute(*on, "INSERT INTO jobs (id, name) VALUES (1, 'emails')");
  now = host_now();
  CAF_CHECK_EQUAL(ids(claim(*on, statements())), list{1});
  CAF_CHECK_EQUAL(log.entries.size(), 0u);
}

CAF_TEST(every form becomes due at its instant and in order of the instants) {
  auto on = open();
  const auto with = statements();
  // now is 2026-01-02 03:04:05
  add(*on, 1, value{"2026-01-02T03:04:04Z"});
  add(*on, 2, value{"2026-01-02 03:04:03"});
  add(*on, 3, value{"2026-01-02 05:04:02+02:00"});
  add(*on, 4, value{"2026-01-01T22:04:01.500-05:00"});
  add(*on, 5, value{"2026-01-02T03:04:07Z"});
  add(*on, 6, value{"2026-01-01 23:04:08-04:00"});
  CAF_CHECK_EQUAL(ids(claim(*on, with)), (list{4, 3, 2, 1}));
  now += 2s;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{5});
  now += 1s;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{6});
}

CAF_TEST(Julian days in a column without a text type become due) {
  execute(*open(), "DROP TABLE jobs; CREATE TABLE jobs (id INTEGER PRIMARY KEY,"
                   "name TEXT, due DATETIME, attempt INT DEFAULT 1,"
                   "locked_until DATETIME, body)");
  auto on = open();
  const auto with = statements();
  execute(*on, "INSERT INTO jobs (id, name, due) VALUES "
               "(1, 'emails', julianday('2026-01-02 03:04:04')),"
               "(2, 'emails', julianday('2026-01-02 03:04:06')),"
               "(3, 'emails', '2026-01-01')");
  CAF_CHECK_EQUAL(ids(claim(*on, with)), (list{3, 1}));
  now += 1s;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{2});
}

CAF_TEST(a producer that changes its form later is noticed by the next look) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
  // Text comparison would take it for later than every time of its day.
  add(*open(), 2, value{"2026-01-02T03:04:04Z"});
  CAF_CHECK_EQUAL(soon_claimed(*on, with), list{2});
  CAF_REQUIRE_EQUAL(log.entries.size(), 1u);
  CAF_CHECK_EQUAL(log.entries[0].fields.at(3).second, "2");
}

CAF_TEST(what the session itself writes is looked at too) {
  auto on = open();
  const auto with = statements();
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  add(*on, 2, value{"2026-01-02T03:04:04Z"});
  CAF_CHECK_EQUAL(soon_claimed(*on, with), list{2});
}

CAF_TEST(the first look goes through the whole queue and needs no log) {
  for (const bool logs : {true, false}) {
    if (!logs)
      pool_settings.log = {};
    auto on = open();
    execute(*on, "DELETE FROM jobs");
    add(*on, 1, value{"2026-07-01T00:00:00Z"});
    CAF_CHECK_EQUAL(ids(claim(*on, statements())), list{});
    CAF_CHECK_EQUAL(log.entries.size(), 1u);
  }
}

CAF_TEST(finished rows are not looked at) {
  auto spec = jobs();
  spec.columns.push_back({"done", column_role::processed_at});
  auto on = open();
  execute(*on, "ALTER TABLE jobs ADD COLUMN done TEXT");
  add(*on, 1, value{"2026-01-02T03:04:04Z"});
  execute(*on, "UPDATE jobs SET done = '2026-01-01'");
  CAF_CHECK_EQUAL(ids(claim(*on, statements(spec))), list{});
  CAF_CHECK_EQUAL(log.entries.size(), 0u);
  execute(*on, "UPDATE jobs SET done = NULL");
  CAF_CHECK_EQUAL(soon_claimed(*on, statements(spec)), list{1});
}

CAF_TEST(what cannot be read is told soon after another form was met) {
  pool_settings.time_check = 1h;
  auto on = open();
  const auto with = statements();
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  add(*on, 1, value{"2026-01-02 00:04:05-04:00"});
  add(*on, 2, value{"soon"});
  // Meets the first one; a row in between, so that there is something new.
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  add(*on, 3);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{3});
  CAF_REQUIRE_EQUAL(log.entries.size(), 2u);
  CAF_CHECK(log.entries[1].level == log_level::error);
}

CAF_TEST(a look waits for its time) {
  pool_settings.time_check = 1h;
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
  add(*on, 2, value{"2026-01-02T03:04:04Z"});
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
}

CAF_TEST(a claim that meets another form is made again before a row is taken) {
  pool_settings.time_check = 1h;
  auto on = open();
  const auto with = statements();
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  // As text it is due at once, in truth in an hour.
  add(*on, 1, value{"2026-01-02 00:04:05-04:00"});
  add(*on, 2);
  const auto first = claim(*on, with);
  CAF_CHECK_EQUAL(ids(first), list{2});
  settle(*on, with, {end_of(first, 0)});
  now += 1h;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
}

CAF_TEST(a time that cannot be read is told with id and sample and stops nothing) {
  auto on = open();
  const auto with = statements();
  add(*on, 1, value{"1 o'clock"});
  add(*on, 2);
  add(*on, 3, value{"tomorrow"});
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{2});
  add(*on, 4);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{4});
  std::vector<std::string> told;
  for (const auto& e : log.entries)
    if (e.level == log_level::error)
      told.push_back(e.fields.at(3).second + "=" + e.fields.at(4).second);
  std::sort(told.begin(), told.end());
  CAF_REQUIRE_EQUAL(told.size(), 2u);
  CAF_CHECK_EQUAL(told[0], "1=1 o'clock");
  CAF_CHECK_EQUAL(told[1], "3=tomorrow");
  execute(*on, "UPDATE jobs SET due = '2026-01-01' WHERE id = 3");
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{3});
}

CAF_TEST(settlements are compared by the text of their token in either shape) {
  auto on = open();
  const auto with = statements();
  add(*on, 1, value{"2026-01-02T03:04:04Z"});
  const auto claimed = claim(*on, with);
  CAF_CHECK(settle(*on, with, {end_of(claimed, 0, event::retry_after, 5s)})
              .settlements.at(0)
              .went
            == how::done);
  CAF_CHECK_EQUAL(answer(*on, "SELECT due FROM jobs"),
                  "2026-01-02 03:04:10.000000");
}

CAF_TEST_FIXTURE_SCOPE_END()
