#define CAF_SUITE postgres_lease_trip
#include "jobs_fixture.hpp"

#include "inbox/low_mark.hpp"

using namespace inbox;
using test::unbox;

namespace {

using how = settled::how;

struct leases : test::jobs_fixture {
  leases() {
    if (is_skipped())
      return;
    serve_leases();
    create();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_lease_trip_tests, leases)

CAF_TEST(a claim leases due rows and reports them as they were) {
  if (is_skipped())
    return;
  unbox(db().prepare(statements));
  enqueue(3);
  const auto rows = claim(db(), 2);
  CAF_CHECK_EQUAL(rows.asked, 2u);
  CAF_CHECK_EQUAL(rows.number, 1u);
  CAF_REQUIRE_EQUAL(rows.rows->size(), 2u);
  CAF_CHECK_EQUAL(rows.rows->columns().size(), 6u);
  CAF_CHECK(rows.rows->at(0, 0) == value{1}.view());
  CAF_CHECK(rows.rows->at(1, 0) == value{2}.view());
  CAF_CHECK_EQUAL(rows.rows->at(0, 1).to_display(), "emails");
  CAF_CHECK(rows.rows->at(0, 3) == value{1}.view());
  CAF_CHECK(rows.rows->at(0, 4).is_null());
  CAF_CHECK(rows.rows->at(0, 5) == value_view::bytes("p0"));
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table
                        + " WHERE attempt = 2 AND locked_until > now()"),
                  2);
  // The token the delivery holds is the one in the row, to the microsecond.
  CAF_CHECK(run("SELECT locked_until FROM " + table + " WHERE id = 1")
              ->at(0, 0)
              .as_time()
            == *rows.locked_until);
  CAF_CHECK_EQUAL(claim(db(), 5).rows->size(), 1u);
  CAF_CHECK_EQUAL(claim(db(), 5).rows->size(), 0u);
}

CAF_TEST(one trip settles each row its own way and claims the next) {
  if (is_skipped())
    return;
  enqueue(7);
  const auto rows = claim(db(), 5);
  CAF_REQUIRE_EQUAL(rows.rows->size(), 5u);
  auto t = ask(2);
  t.settlements = {end(rows, 0, event::ack), end(rows, 1, event::retry),
                   end(rows, 2, event::retry_after, 1h),
                   end(rows, 3, event::unclaim),
                   end(rows, 4, event::dead_letter)};
  const auto result = db().run(t, unbox(db().clock()));
  CAF_CHECK(!result.session_lost);
  CAF_REQUIRE_EQUAL(result.settlements.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    CAF_CHECK_EQUAL(result.settlements[i].delivery, t.settlements[i].delivery);
    CAF_CHECK(result.settlements[i].went == how::done);
  }
  // In claim order: 2 and 4 came back before 6 and 7.
  const auto& next = unbox(*result.claim).rows;
  CAF_REQUIRE_EQUAL(next->size(), 2u);
  CAF_CHECK(next->at(0, 0) == value{2}.view());
  CAF_CHECK(next->at(0, 3) == value{2}.view()); // counted at its first claim
  CAF_CHECK(next->at(1, 0) == value{4}.view());
  CAF_CHECK(next->at(1, 3) == value{1}.view()); // as if never claimed
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table + " WHERE id = 1"), 0);
  CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table
                        + " WHERE id = 3 AND locked_until IS NULL AND "
                          "retry_after > now() + interval '59 minutes'"),
                  1);
  CAF_CHECK_EQUAL(one("SELECT name FROM " + table + " WHERE id = 5"),
                  "emails.dead");
}

CAF_TEST(a claim from a mark on leaves what was due before it) {
  if (is_skipped())
    return;
  enqueue(3);
  run("UPDATE " + table
      + " SET retry_after = '2020-01-01 00:00:00Z' WHERE "
        "id = 1");
  run("ALTER TABLE " + table + " ALTER retry_after DROP NOT NULL");
  run("UPDATE " + table + " SET retry_after = NULL WHERE id = 2");
  auto t = ask(5);
  t.claim->since = *parse_time("2020-01-01T00:00:01Z");
  const auto marked = db().run(t, unbox(db().clock()));
  // A row without a due time is always due.
  const auto& rows = unbox(*marked.claim).rows;
  CAF_REQUIRE_EQUAL(rows->size(), 2u);
  CAF_CHECK(rows->at(0, 0) == value_view::of(std::int64_t{2}));
  CAF_CHECK(rows->at(1, 0) == value_view::of(std::int64_t{3}));
  const auto rest = claim(db(), 5);
  CAF_REQUIRE_EQUAL(rest.rows->size(), 1u);
  CAF_CHECK(first_due(rest, statements->description())
            == *parse_time("2020-01-01T00:00:00Z"));
}

CAF_TEST(a late holder changes nothing - C-154) {
  if (is_skipped())
    return;
  enqueue(2);
  const auto rows = claim(db(), 2);
  run("UPDATE " + table
      + " SET locked_until = locked_until + interval '1s' "
        "WHERE id = 1");
  const auto result = settle(
    db(), {end(rows, 0, event::ack), end(rows, 1, event::ack)});
  CAF_CHECK(result.settlements[0].went == how::lost);
  CAF_CHECK(result.settlements[1].went == how::done);
  CAF_CHECK_EQUAL(one("SELECT string_agg(id::text, ',') FROM " + table), "1");
}

CAF_TEST(an extension answers with the new token) {
  if (is_skipped())
    return;
  enqueue(2);
  const auto rows = claim(db(), 2);
  trip t;
  t.statements = statements;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto s = end(rows, i, event::ack);
    t.extensions.push_back({s.delivery, s.id, *s.held});
  }
  t.extensions[1].held.attempt = 9; // somebody else's claim
  const auto result = db().run(t, rows.claimed_at + 10s);
  CAF_CHECK(result.extensions[0].went == how::done);
  CAF_REQUIRE(result.extensions[0].now_held.has_value());
  CAF_CHECK(result.extensions[0].now_held->locked_until
            == *rows.locked_until + 10s);
  CAF_CHECK(result.extensions[1].went == how::lost);
  CAF_CHECK(!result.extensions[1].now_held);
  auto late = end(rows, 0, event::ack);
  CAF_CHECK(settle(db(), {late}).settlements[0].went == how::lost);
  late.held = result.extensions[0].now_held;
  CAF_CHECK(settle(db(), {late}).settlements[0].went == how::done);
}

CAF_TEST(ids of other types are settled too) {
  if (is_skipped())
    return;
  for (const auto* type : {"uuid", "text", "numeric", "bytea", "varchar(40)",
                           "smallint", "timestamptz", "citext_like"}) {
    CAF_MESSAGE(type);
    run("DROP TABLE " + table
        + "; DROP DOMAIN IF EXISTS citext_like; "
          "CREATE DOMAIN citext_like AS text");
    run("CREATE TABLE " + table + " (id " + type
        + " PRIMARY KEY, name text, "
          "retry_after timestamptz DEFAULT now(), attempt int DEFAULT 1, "
          "locked_until timestamptz, payload bytea)");
    const auto literal = std::string{type} == "timestamptz"
                           ? "now() + interval '1 second' * i"
                         : std::string{type} == "uuid"
                           ? "md5(i::text)::uuid"
                           : "(i::text)::" + std::string{type};
    run("INSERT INTO " + table + " (id, name) SELECT " + literal
        + ", 'emails' FROM generate_series(1, 3) i");
    auto fresh = connect();
    unbox(fresh->prepare(statements));
    const auto rows = claim(*fresh, 3);
    CAF_REQUIRE_EQUAL(rows.rows->size(), 2u); // sizes are 1, 2, 5, ..
    const auto result = settle(
      *fresh, {end(rows, 0, event::ack), end(rows, 1, event::ack)});
    CAF_CHECK(result.settlements[0].went == how::done);
    CAF_CHECK(result.settlements[1].went == how::done);
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 1);
  }
  run("DROP TABLE " + table + "; DROP DOMAIN citext_like");
}

CAF_TEST_FIXTURE_SCOPE_END()
