#define CAF_SUITE sqlite_due_times
#include "inbox/test/scratch_database.hpp"
#include "inbox/test/statements.hpp"

#include "inbox/sqlite/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;
using sqlite::time_shape;

const sqlite::dialect speaks;
const auto roles = {role::id, role::retry_after, role::locked_until};

/// A time as a producer may have written it, beside 2026-01-02 00:00:00 UTC.
struct seen {
  const char* value;
  bool due;
  bool readable;
};

const seen times[] = {
  {"'2026-01-01 23:59:59'", true, true},
  {"'2026-01-02 00:00:00.000000'", true, true},
  {"'2026-01-02 00:00:00.5'", false, true},
  {"'2026-01-02'", true, true},
  {"'2026-01-01T23:00:00Z'", true, true},
  {"'2026-01-02T00:30:00Z'", false, true},
  {"'2026-01-02 00:00:00Z'", true, true},
  {"'2026-01-02 13:00:00+14:00'", true, true},
  {"'2026-01-01 23:00:00-02:00'", false, true},
  {"'2026-01-02 00:00'", true, true},
  {"2461042.5", true, true},
  {"2461043.5", false, true},
  {"1767312000", false, false},
  {"'soon'", false, false},
  {"''", false, false},
  {"'now'", false, false},
  {"'2026-99-99 00:00:00'", false, false},
};

struct fixture {
  fixture() : of{jobs(roles)} {
    db.run("CREATE TABLE jobs (id INTEGER PRIMARY KEY, retry_after,"
           " locked_until TEXT)");
  }
  void put(const std::string& value) {
    db.run("DELETE FROM jobs; INSERT INTO jobs VALUES (1, " + value
           + ", NULL)");
  }
  std::string claim() {
    const auto built = unbox(sqlite::dialect{time_shape::exact}.build(of));
    return db.ask(built->claim(1).text.text, {now, now, now, now, 100});
  }

  const std::string now = "2026-01-02 00:00:00.000000";
  scratch_database db;
  subscription of;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(due_time_tests, fixture)

CAF_TEST(the exact shape makes every form due at its true instant) {
  for (const auto& t : times) {
    CAF_MESSAGE(t.value);
    put(t.value);
    CAF_CHECK_EQUAL(!claim().empty(), t.due);
  }
}

CAF_TEST(the exact shape puts every form in true order) {
  db.run("INSERT INTO jobs (id, retry_after) VALUES"
         " (1, '2026-01-01 04:00:00'), (2, '2026-01-01T03:00:00Z'),"
         " (3, 2461041.5), (4, NULL), (5, '2026-01-01 03:30:00+02:00'),"
         " (6, '2026-01-01 02:00:00.000200'),"
         " (7, '2026-01-01 02:00:00.000100')");
  const auto built = unbox(sqlite::dialect{time_shape::exact}.build(of));
  auto order = db.ask(
    "SELECT group_concat(id) FROM (" + built->claim(1).text.text + ")",
    {now, now, now, now, 100});
  CAF_CHECK_EQUAL(order, "4,3,5,7,6,2,1");
}

CAF_TEST(a time that cannot be read is found with its id and a sample) {
  for (const auto& t : times) {
    CAF_MESSAGE(t.value);
    put(t.value);
    CAF_CHECK_EQUAL(
      db.ask(speaks.find_unreadable_time(of.description)->text, {}).empty(),
      t.readable);
  }
  put("'soon'");
  CAF_CHECK_EQUAL(db.ask(speaks.find_unreadable_time(of.description)->text, {}),
                  "1 soon");
}

CAF_TEST(a table without due times has none to look for) {
  const auto bare = jobs({role::id, role::locked_until});
  CAF_CHECK(!speaks.find_unreadable_time(bare.description));
}

CAF_TEST_FIXTURE_SCOPE_END()
