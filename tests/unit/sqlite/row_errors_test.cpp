// A row that the database refuses fails alone.
#define CAF_SUITE sqlite_row_errors
#include "inbox/test/unit.hpp"

#include "file_fixture.hpp"

using namespace inbox;
using namespace inbox::test;

CAF_TEST_FIXTURE_SCOPE(row_errors, file_fixture)

CAF_TEST(an error of one row fails that row alone) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 3; ++id)
    add(*on, id);
  const auto claimed = claim(*on, with);
  for (const auto* undo : {"ABORT", "ROLLBACK"}) {
    CAF_MESSAGE(undo);
    execute(*on, "DROP TRIGGER IF EXISTS keep");
    execute(*on, "CREATE TRIGGER keep BEFORE DELETE ON jobs WHEN old.id = 2 "
                 "BEGIN SELECT RAISE("
                   + std::string{undo} + ", 'kept'); END");
    const auto first = undo[0] == 'A' ? 0u : 2u;
    const auto result = settle(*on, with,
                               {end_of(claimed, first), end_of(claimed, 1)});
    CAF_CHECK(result.settlements.at(0).went == how::done);
    CAF_CHECK(result.settlements.at(1).went == how::failed);
    CAF_CHECK(result.settlements.at(1).why->code() == errc::constraint);
    CAF_CHECK_EQUAL(result.settlements.at(1).why->statement(), "ack");
    CAF_CHECK_EQUAL(result.settlements.at(1).why->table(), "jobs");
    CAF_CHECK_EQUAL(result.settlements.at(1).why->subscription(), "emails");
    CAF_CHECK(!result.session_lost);
  }
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM jobs"), "2");
}

CAF_TEST(what goes with a row that undoes the trip is done without it) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 4; ++id)
    add(*on, id);
  const auto claimed = claim(*on, with, 3);
  execute(*on, "CREATE TRIGGER keep BEFORE DELETE ON jobs "
               "BEGIN SELECT RAISE(ROLLBACK, 'kept'); END");
  const auto held = end_of(claimed, 1);
  trip request;
  request.statements = with;
  request.settlements = {end_of(claimed, 0)};
  request.extensions = {{2, held.id, *held.held}};
  request.read_backs = {end_of(claimed, 2)};
  request.claim = claim_order{2, 10};
  now += 1s;
  const auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::failed);
  CAF_CHECK(result.extensions.at(0).went == how::done);
  CAF_CHECK(result.read_backs.at(0).went == how::held);
  CAF_CHECK_EQUAL(ids(unbox(*result.claim)), list{4});
}

CAF_TEST(a constraint that is checked at the commit spares the other rows) {
  auto on = open();
  execute(*on, "PRAGMA foreign_keys = ON");
  execute(*on, "CREATE TABLE notes (job INTEGER REFERENCES jobs "
               "DEFERRABLE INITIALLY DEFERRED)");
  const auto with = statements();
  add(*on, 1);
  add(*on, 2);
  execute(*on, "INSERT INTO notes VALUES (1)");
  const auto claimed = claim(*on, with);
  const auto result = settle(*on, with,
                             {end_of(claimed, 0), end_of(claimed, 1)});
  CAF_CHECK(result.settlements.at(0).went == how::failed);
  CAF_CHECK(result.settlements.at(0).why->code() == errc::constraint);
  CAF_CHECK(result.settlements.at(1).went == how::done);
}

CAF_TEST(a row that may not be claimed keeps none of the others back) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  add(*on, 2);
  execute(*on, "CREATE TRIGGER keep BEFORE UPDATE ON jobs WHEN old.id = 1 "
               "BEGIN SELECT RAISE(ABORT, 'kept'); END");
  const auto claimed = claim(*on, with);
  CAF_CHECK_EQUAL(ids(claimed), list{2});
  CAF_CHECK(claimed.rows->at(0, 5).as_octets() == "2");
}

CAF_TEST(a row whose stamp changes nothing is not delivered) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  add(*on, 2);
  execute(*on, "CREATE TRIGGER keep BEFORE UPDATE ON jobs WHEN old.id = 1 "
               "BEGIN SELECT RAISE(IGNORE); END");
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{2});
}

CAF_TEST(a claim none of whose rows may be taken says why) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  execute(*on, "CREATE TRIGGER keep BEFORE UPDATE ON jobs "
               "BEGIN SELECT RAISE(ABORT, 'kept'); END");
  trip request;
  request.statements = with;
  request.claim = claim_order{1, 1};
  const auto why = refusal(*on->run(request, now).claim);
  CAF_CHECK(why.code() == errc::constraint);
  CAF_CHECK_EQUAL(why.statement(), "stamp");
}

CAF_TEST(C-041 a dead letter moves to its table in one step or not at all) {
  auto on = open();
  execute(*on, "CREATE TABLE tasks (id INTEGER PRIMARY KEY, "
               "attempt INTEGER DEFAULT 1, locked_until TEXT);"
               "CREATE TABLE dead AS SELECT * FROM tasks;"
               "INSERT INTO tasks (id) VALUES (1), (2)");
  table_spec spec;
  spec.name = "tasks";
  spec.columns = {{"id", column_role::id},
                  {"attempt", column_role::attempt},
                  {"locked_until", column_role::locked_until}};
  subscription_settings how_served;
  how_served.max_attempts = 2;
  how_served.dead_letter = "dead";
  const auto with = statements(spec, how_served);
  const auto claimed = claim(*on, with);
  const auto end = [&](std::size_t i) {
    return settlement{event::dead_letter,
                      i + 1,
                      value::copy_of(claimed.rows->at(i, 0)),
                      token{*claimed.locked_until, 2},
                      {}};
  };
  execute(*on, "CREATE TRIGGER keep BEFORE DELETE ON tasks WHEN old.id = 2 "
               "BEGIN SELECT RAISE(ABORT, 'kept'); END");
  const auto result = settle(*on, with, {end(0), end(1)});
  CAF_CHECK(result.settlements.at(0).went == how::done);
  CAF_CHECK(result.settlements.at(1).went == how::failed);
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM tasks"), "2");
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM dead"), "1");
  CAF_CHECK_EQUAL(answer(*on, "SELECT locked_until FROM dead"), "NULL");
}

CAF_TEST(a claim that fails leaves the settlements of its trip alone) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  add(*on, 2);
  const auto claimed = claim(*on, with, 1);
  execute(*on, "CREATE TRIGGER keep BEFORE UPDATE ON jobs "
               "BEGIN SELECT RAISE(ROLLBACK, 'kept'); END");
  trip request;
  request.statements = with;
  request.settlements = {end_of(claimed, 0)};
  request.claim = claim_order{2, 10};
  const auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::done);
  CAF_CHECK(refusal(*result.claim).code() == errc::constraint);
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM jobs"), "2");
}

CAF_TEST_FIXTURE_SCOPE_END()
