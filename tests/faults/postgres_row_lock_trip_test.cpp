#define CAF_SUITE postgres_row_lock_trip
#include "jobs_fixture.hpp"

using namespace inbox;
using test::unbox;

namespace {

using how = settled::how;

struct row_locks : test::jobs_fixture {
  row_locks() {
    if (is_skipped())
      return;
    serve_locks();
    create();
  }

  trip_result settle_and_claim(postgres::connection& on, settlement s) {
    auto t = ask();
    t.settlements = {std::move(s)};
    return on.run(t, unbox(db().clock()));
  }

  static bool is_idle(postgres::connection& c) {
    return PQtransactionStatus(c.lent().raw()) == PQTRANS_IDLE;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_row_lock_trip_tests, row_locks)

CAF_TEST(a claim holds its row until it is settled) {
  if (is_skipped())
    return;
  enqueue(2);
  auto one = connect(), two = connect();
  unbox(one->prepare(statements));
  const auto first = claim(*one);
  const auto second = claim(*two);
  CAF_CHECK(first.rows->at(0, 0) == value{1}.view());
  CAF_CHECK(second.rows->at(0, 0) == value{2}.view());
  CAF_CHECK(!is_idle(*one));
  CAF_CHECK(settle(*one, {end(first, 0, event::ack)}).settlements[0].went
            == how::done);
  CAF_CHECK(is_idle(*one));
  CAF_CHECK_EQUAL(claim(*one).rows->size(), 0u);
  CAF_CHECK(is_idle(*one)); // no row, no transaction
}

CAF_TEST(settlement and next claim go in one trip) {
  if (is_skipped())
    return;
  enqueue(2);
  auto c = connect();
  const auto first = claim(*c);
  const auto result = settle_and_claim(*c, end(first, 0, event::ack));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK(unbox(*result.claim).rows->at(0, 0) == value{2}.view());
  CAF_CHECK(!unbox(*result.claim).locked_until);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
}

CAF_TEST(each event writes what it means) {
  if (is_skipped())
    return;
  enqueue(4);
  auto c = connect();
  CAF_CHECK(
    settle(*c, {end(claim(*c), 0, event::retry_after, 1h)}).settlements[0].went
    == how::done);
  CAF_CHECK(
    settle(*c, {end(claim(*c), 0, event::dead_letter)}).settlements[0].went
    == how::done);
  CAF_CHECK(settle(*c, {end(claim(*c), 0, event::retry)}).settlements[0].went
            == how::done);
  CAF_CHECK(settle(*c, {end(claim(*c), 0, event::discard)}).settlements[0].went
            == how::done);
  CAF_CHECK_EQUAL(count("SELECT attempt FROM " + table
                        + " WHERE id = 1 AND retry_after > now()"),
                  2);
  CAF_CHECK_EQUAL(one("SELECT name FROM " + table + " WHERE id = 2"),
                  "emails.dead");
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 3);
}

CAF_TEST(a retry without an attempt column just lets go - C-051) {
  if (is_skipped())
    return;
  serve_locks(false);
  enqueue(1);
  auto c = connect();
  const auto result = settle_and_claim(*c, end(claim(*c), 0, event::retry));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 1u);
}

CAF_TEST(rolling back returns the row and may claim on) {
  if (is_skipped())
    return;
  enqueue(1);
  auto c = connect();
  claim(*c);
  auto t = ask();
  t.roll_back = true;
  const auto result = c->run(t, unbox(db().clock()));
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 1u);
  t.claim.reset();
  c->run(t, unbox(db().clock()));
  CAF_CHECK(is_idle(*c));
  CAF_CHECK_EQUAL(claim(db()).rows->size(), 1u);
  db().roll_back();
}

CAF_TEST(a refused settlement rolls back and the claim goes on) {
  if (is_skipped())
    return;
  enqueue(2);
  before_deletes(
    "IF OLD.id = 1 THEN RAISE EXCEPTION 'no' USING ERRCODE = '23514'; END IF;");
  auto c = connect();
  const auto result = settle_and_claim(*c, end(claim(*c), 0, event::ack));
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK_EQUAL(result.settlements[0].why->code(), errc::constraint);
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 1u);
  CAF_CHECK(!is_idle(*c));
}

CAF_TEST(a refused commit settles nothing and the claim goes on) {
  if (is_skipped())
    return;
  enqueue(2);
  before_deletes("IF OLD.id = 1 THEN RAISE EXCEPTION 'no' USING ERRCODE = "
                 "'23514'; END IF;",
                 "CONSTRAINT");
  auto c = connect();
  const auto result = settle_and_claim(*c, end(claim(*c), 0, event::ack));
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK_EQUAL(result.settlements[0].why->code(), errc::constraint);
  CAF_CHECK_EQUAL(unbox(*result.claim).rows->size(), 1u);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 2);
}

CAF_TEST(a settlement stands whatever comes of the claim behind it) {
  if (is_skipped())
    return;
  enqueue(2);
  // The session loses its rights with the settlement.
  before_deletes("PERFORM set_config('role', 'pg_read_all_stats', false);");
  auto c = connect();
  const auto result = settle_and_claim(*c, end(claim(*c), 0, event::ack));
  CAF_CHECK(result.settlements[0].went == how::done);
  CAF_CHECK(!result.claim->has_value());
  CAF_CHECK(!result.session_lost.has_value());
  CAF_CHECK(is_idle(*c));
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
}

CAF_TEST(a handler that deleted its own row has lost it and commits) {
  if (is_skipped())
    return;
  enqueue(1);
  auto c = connect();
  const auto row = claim(*c);
  unbox(c->execute("DELETE FROM " + table, {}));
  CAF_CHECK(settle(*c, {end(row, 0, event::ack)}).settlements[0].went
            == how::lost);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 0);
}

CAF_TEST(a transaction that failed under the handler commits nothing) {
  if (is_skipped())
    return;
  enqueue(1);
  auto c = connect();
  const auto row = claim(*c);
  CAF_CHECK(!c->execute("SELECT 1 / 0", {}));
  const auto result = settle(*c, {end(row, 0, event::ack)});
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK(is_idle(*c));
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
}

CAF_TEST(a killed session returns the row and leaves the commit in doubt) {
  if (is_skipped())
    return;
  enqueue(1);
  auto c = connect();
  unbox(c->prepare(statements));
  const auto row = claim(*c);
  kill(*c);
  const auto result = settle_and_claim(*c, end(row, 0, event::ack));
  CAF_REQUIRE(result.session_lost.has_value());
  CAF_CHECK(result.settlements[0].went == how::unknown);
  CAF_CHECK(!result.claim->has_value());
  CAF_CHECK_EQUAL(claim(db()).rows->size(), 1u);
  db().roll_back();
}

CAF_TEST(a table opens its transactions as it says and conflicts are retried) {
  if (is_skipped())
    return;
  auto s = test::jobs_of(schema(), false);
  table_spec spec;
  spec.schema = schema();
  spec.name = "jobs";
  spec.opens = opening::serializable;
  for (const auto& column : s.description.columns())
    spec.columns.push_back(column);
  s.description = unbox(table::make(std::move(spec)));
  serve(std::move(s));
  enqueue(1);
  auto c = connect();
  const auto row = claim(*c);
  CAF_CHECK_EQUAL(unbox(c->execute("SHOW transaction_isolation", {}))
                    .rows->at(0, 0)
                    .to_display(),
                  "serializable");
  CAF_CHECK(settle(*c, {end(row, 0, event::ack)}).settlements[0].went
            == how::done);
}

CAF_TEST(a settlement without its transaction is refused) {
  if (is_skipped())
    return;
  enqueue(1);
  auto c = connect();
  const auto row = claim(*c);
  c->roll_back();
  const auto result = settle(*c, {end(row, 0, event::ack)});
  CAF_CHECK(result.settlements[0].went == how::failed);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
}

CAF_TEST_FIXTURE_SCOPE_END()
