#define CAF_SUITE sqlite_prepares
#include "inbox/test/scratch_database.hpp"
#include "inbox/test/statements.hpp"

#include "inbox/sqlite/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;
using sqlite::time_shape;

const sqlite::dialect speaks;

const std::initializer_list<role> shapes[] = {
  {role::id, role::locked_until},
  {role::id, role::attempt, role::locked_until, role::payload},
  {role::id, role::retry_after, role::locked_until},
  {role::id, role::priority, role::retry_after, role::attempt,
   role::locked_until},
  {role::id, role::group, role::partition_key, role::priority,
   role::retry_after, role::attempt, role::locked_until, role::processed_at,
   role::headers, role::payload},
};

const std::string now = "2026-01-02 00:00:00.000000";
const std::string token = "2026-01-02 00:00:30.000000";

const auto counted = {role::id, role::retry_after, role::attempt,
                      role::locked_until};

struct fixture {
  scratch_database db;
  shared_statements built;

  void serve(const subscription& s) {
    db.run(unbox(speaks.ddl(s)));
    built = unbox(speaks.build(s));
  }
  std::string claim(std::int64_t limit) {
    return db.ask(built->claim(1).text.text, {now, now, now, limit});
  }
  int run(event what, const std::vector<scratch_database::bound>& values) {
    db.ask(built->at(what).front().text, values);
    return db.changes();
  }
};

} // namespace

CAF_TEST(every statement prepares on the tables that ddl writes) {
  for (const auto& roles : shapes) {
    auto s = jobs(roles);
    if (s.description.has(role::attempt))
      s = with_dead_letter(s, "dead");
    scratch_database db;
    db.run(unbox(speaks.ddl(s)));
    db.run(unbox(speaks.ddl(s))); // again changes nothing
    for (const auto shape : {time_shape::plain, time_shape::exact}) {
      const auto built = unbox(sqlite::dialect{shape}.build(s));
      CAF_CHECK_EQUAL(db.prepare(built->claim(1).text), "");
      for (std::uint8_t e = 0; e < event_count; ++e)
        for (const auto& text : built->at(static_cast<event>(e)))
          CAF_CHECK_EQUAL(db.prepare(text), "");
    }
    if (const auto find = speaks.find_unreadable_time(s.description))
      CAF_CHECK_EQUAL(db.prepare(*find), "");
  }
}

CAF_TEST(a misspelt column does not prepare (C-030)) {
  scratch_database db;
  db.run("CREATE TABLE jobs (id INTEGER PRIMARY KEY, lockeduntil TEXT)");
  const auto built = unbox(speaks.build(jobs({role::id, role::locked_until})));
  CAF_CHECK_NOT_EQUAL(db.prepare(built->claim(1).text), "");
}

CAF_TEST_FIXTURE_SCOPE(sqlite_statement_runs, fixture)

CAF_TEST(an undated row comes first and a later one not at all) {
  auto s = jobs(counted);
  db.run("CREATE TABLE jobs (id INTEGER PRIMARY KEY, retry_after TEXT,"
         " attempt INTEGER, locked_until TEXT)");
  serve(s);
  db.run("INSERT INTO jobs VALUES (1, '2026-01-01 02:00:00', 1, NULL),"
         " (2, '2026-01-01 01:00:00.5', 3, NULL), (3, NULL, NULL, NULL),"
         " (4, '2026-01-02 00:00:00.000001', 1, NULL),"
         " (5, '2026-01-01 01:00:00', 1, '2026-01-02 00:00:00.000001'),"
         " (6, '2026-01-01 01:00:00.5', 1, '2026-01-02 00:00:00.000000')");
  CAF_CHECK_EQUAL(claim(2), "3 NULL 1 NULL; "
                            "2 2026-01-01 01:00:00.5 3 NULL");
  CAF_CHECK_EQUAL(claim(10),
                  "3 NULL 1 NULL; 2 2026-01-01 01:00:00.5 3 NULL; "
                  "6 2026-01-01 01:00:00.5 1 2026-01-02 00:00:00.000000; "
                  "1 2026-01-01 02:00:00 1 NULL");
}

CAF_TEST(a late holder changes nothing (C-154)) {
  serve(jobs(counted));
  db.run("INSERT INTO jobs (id, retry_after) VALUES (1, '2026-01-01')");
  CAF_CHECK_EQUAL(run(event::stamp, {token, 1, now}), 1);
  CAF_CHECK_EQUAL(run(event::stamp, {token, 1, now}), 0);
  CAF_CHECK_EQUAL(run(event::ack, {1, token, 1}), 0);
  CAF_CHECK_EQUAL(run(event::ack, {1, now, 2}), 0);
  CAF_CHECK_EQUAL(run(event::unclaim, {1, token, 2}), 1);
  CAF_CHECK_EQUAL(db.ask("SELECT attempt, locked_until FROM jobs", {}),
                  "1 NULL");
}

CAF_TEST(the stored attempt is one more than reported at every value) {
  db.run("CREATE TABLE jobs (id INTEGER PRIMARY KEY, retry_after TEXT,"
         " attempt, locked_until TEXT)");
  serve(jobs(counted));
  const struct {
    const char* before;
    const char* reported;
    const char* stored;
  } cases[] = {
    {"1", "1", "2"},
    {"NULL", "1", "2"},
    {"9223372036854775806", "9223372036854775806", "9223372036854775807"},
    {"9223372036854775807", "9223372036854775806", "9223372036854775807"},
    {"'many'", "many", "many"},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.before);
    db.run(std::string{"DELETE FROM jobs; INSERT INTO jobs VALUES (1, NULL, "}
           + c.before + ", NULL)");
    CAF_CHECK_EQUAL(claim(1), std::string{"1 NULL "} + c.reported + " NULL");
    CAF_CHECK_EQUAL(run(event::stamp, {token, 1, now}), 1);
    CAF_CHECK_EQUAL(db.ask("SELECT attempt FROM jobs", {}), c.stored);
  }
}

CAF_TEST(a row whose attempt does not read settles by its token alone) {
  db.run("CREATE TABLE jobs (id INTEGER PRIMARY KEY, retry_after TEXT,"
         " attempt, locked_until TEXT)");
  serve(jobs(counted));
  db.run("INSERT INTO jobs VALUES (1, NULL, 'many', NULL)");
  run(event::stamp, {token, 1, now});
  CAF_CHECK_EQUAL(run(event::ack, {1, now, nullptr}), 0);
  CAF_CHECK_EQUAL(run(event::ack, {1, token, nullptr}), 1);
}

CAF_TEST_FIXTURE_SCOPE_END()
