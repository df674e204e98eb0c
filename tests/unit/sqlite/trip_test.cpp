#define CAF_SUITE sqlite_trip
#include "inbox/test/unit.hpp"

#include "file_fixture.hpp"

using namespace inbox;
using namespace inbox::test;

CAF_TEST_FIXTURE_SCOPE(trips, file_fixture)

CAF_TEST(a claim takes due rows in order and reports them as they were) {
  auto on = open();
  const auto with = statements();
  add(*on, 1, value{"2026-01-01 00:00:02"});
  add(*on, 2, value{"2026-01-01 00:00:01"});
  add(*on, 3, value{"2026-01-03"});
  add(*on, 4, value{});
  const auto claimed = claim(*on, with);
  CAF_CHECK_EQUAL(ids(claimed), (list{4, 2, 1}));
  CAF_CHECK_EQUAL(claimed.asked, 10u);
  CAF_CHECK(claimed.claimed_at == now);
  CAF_CHECK(claimed.locked_until == now + 30s);
  const row second{claimed.rows, 1};
  CAF_CHECK_EQUAL(second.name(5), "body");
  CAF_CHECK_EQUAL(second.at(2).to_display(), "2026-01-01T00:00:01.000000Z");
  CAF_CHECK_EQUAL(*second.at(3).as_integer(), 1);
  CAF_CHECK(second.at(4).is_null());
  CAF_CHECK_EQUAL(*second.at(5).as_octets(), "2");
  CAF_CHECK_EQUAL(answer(*on, "SELECT locked_until FROM jobs WHERE id = 2"),
                  "2026-01-02 03:04:35.000000");
  CAF_CHECK_EQUAL(answer(*on, "SELECT attempt FROM jobs WHERE id = 2"), "2");
}

CAF_TEST(a row in work is claimed again only when its lease has ended) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  now += 30s;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
}

CAF_TEST(a claim that finds nothing takes no lock) {
  auto on = open();
  auto writer = open();
  const auto with = statements();
  unbox(writer->begin());
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
}

CAF_TEST(one trip settles and extends and reads back and claims) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 5; ++id)
    add(*on, id);
  const auto first = claim(*on, with, 4);
  trip request;
  request.statements = with;
  request.settlements = {end_of(first, 0),
                         end_of(first, 1, event::retry_after, 60s)};
  const auto held = end_of(first, 2);
  request.extensions = {{3, held.id, *held.held}};
  request.read_backs = {end_of(first, 3)};
  request.claim = claim_order{7, 10};
  now += 10s;
  auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::done);
  CAF_CHECK_EQUAL(result.settlements.at(1).delivery, 2u);
  CAF_CHECK(result.settlements.at(1).went == how::done);
  CAF_CHECK(result.extensions.at(0).went == how::done);
  CAF_CHECK(result.extensions.at(0).now_held->locked_until == now + 30s);
  CAF_CHECK(result.read_backs.at(0).went == how::held);
  const auto second = unbox(*result.claim);
  CAF_CHECK_EQUAL(second.number, 7u);
  CAF_CHECK_EQUAL(ids(second), list{5});
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM "
                              "(SELECT id FROM jobs ORDER BY +id)"),
                  "2,3,4,5");
  CAF_CHECK_EQUAL(answer(*on, "SELECT due FROM jobs WHERE id = 2"),
                  "2026-01-02 03:05:15.000000");
}

CAF_TEST(C-154 a late holder changes nothing) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto late = claim(*on, with);
  now += 31s;
  const auto held = claim(*on, with);
  const auto end = end_of(late, 0);
  trip request;
  request.statements = with;
  request.settlements = {end};
  request.extensions = {{1, end.id, *end.held}};
  request.read_backs = {end};
  const auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::lost);
  CAF_CHECK(result.extensions.at(0).went == how::lost);
  CAF_CHECK(!result.extensions.at(0).now_held);
  CAF_CHECK(result.read_backs.at(0).went == how::done);
  CAF_CHECK(settle(*on, with, {end_of(held, 0)}).settlements.at(0).went
            == how::done);
}

CAF_TEST(a row that was claimed and never started goes back as it was) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto claimed = claim(*on, with);
  settle(*on, with, {end_of(claimed, 0, event::unclaim)});
  CAF_CHECK_EQUAL(
    answer(*on, "SELECT attempt || ifnull(locked_until, '-') FROM jobs"), "1-");
}

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
    CAF_CHECK(!result.session_lost);
  }
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM jobs"), "2");
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
  CAF_CHECK_EQUAL(*claimed.rows->at(0, 5).as_octets(), "2");
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
