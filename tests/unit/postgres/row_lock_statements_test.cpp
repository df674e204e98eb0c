#define CAF_SUITE postgres_row_lock_statements
#include "inbox/test/statements.hpp"

#include "inbox/postgres/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;

const postgres::dialect speaks;

const auto bare = {role::id, role::payload};
const auto counted = {role::id, role::retry_after, role::attempt};

subscription on_database_clock(std::initializer_list<role> roles) {
  auto spec = jobs_spec(roles);
  spec.clock = clock_kind::database;
  return serving(spec);
}

#define ATTEMPT_PLUS_ONE                                                       \
  R"("attempt" = CASE WHEN "attempt" IS NULL THEN 2 WHEN "attempt" < )"        \
  R"(CASE pg_column_size("attempt") WHEN 2 THEN 32767 WHEN 4 THEN )"           \
  R"(2147483647 ELSE 9223372036854775807 END THEN "attempt" + 1 )"             \
  R"(ELSE "attempt" END)"

} // namespace

CAF_TEST(a row lock claim has only the clauses the table has columns for) {
  const written cases[] = {
    {"id and payload (C-050)", jobs(bare), event::claim,
     R"(SELECT "id", "payload" FROM "jobs" ORDER BY "id" LIMIT 1 )"
     R"(FOR UPDATE SKIP LOCKED)",
     ""},
    {"due times", jobs(counted), event::claim,
     R"(SELECT "id", "retry_after", "attempt" FROM )"
     R"((SELECT "id", "retry_after", COALESCE("attempt", 1) AS "attempt" )"
     R"(FROM "jobs" WHERE "retry_after" IS NULL )"
     R"(ORDER BY "retry_after", "id" LIMIT 1 FOR UPDATE SKIP LOCKED) )"
     R"(AS undated UNION ALL SELECT "id", "retry_after", "attempt" FROM )"
     R"((SELECT "id", "retry_after", COALESCE("attempt", 1) AS "attempt" )"
     R"(FROM "jobs" WHERE "retry_after" <= $1 )"
     R"(ORDER BY "retry_after", "id" LIMIT 1 FOR UPDATE SKIP LOCKED) )"
     R"(AS due LIMIT 1)",
     "now"},
    {"a group, a priority and marks",
     jobs({role::id, role::group, role::priority, role::retry_after,
           role::processed_at}),
     event::claim,
     R"(SELECT "id", "group", "priority", "retry_after", "processed_at" )"
     R"(FROM "jobs" WHERE "group" = $1 AND )"
     R"(("retry_after" IS NULL OR "retry_after" <= $2) AND )"
     R"("processed_at" IS NULL ORDER BY "priority", "retry_after", "id" )"
     R"(LIMIT 1 FOR UPDATE SKIP LOCKED)",
     "group, now"},
    {"the database's clock (C-090)",
     on_database_clock({role::id, role::priority, role::retry_after}),
     event::claim,
     R"(SELECT "id", "priority", "retry_after" FROM "jobs" WHERE )"
     R"(("retry_after" IS NULL OR "retry_after" <= statement_timestamp()) )"
     R"(ORDER BY "priority", "retry_after", "id" LIMIT 1 )"
     R"(FOR UPDATE SKIP LOCKED)",
     ""},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(a row lock settlement names one row by its id (C-053)) {
  const written cases[] = {
    {"ack", jobs(bare), event::ack, R"(DELETE FROM "jobs" WHERE "id" = $1)",
     "id"},
    {"ack with a mark", jobs({role::id, role::processed_at}), event::ack,
     R"(UPDATE "jobs" SET "processed_at" = $1 WHERE "id" = $2)", "now, id"},
    {"ack on the database's clock",
     on_database_clock({role::id, role::processed_at}), event::ack,
     R"(UPDATE "jobs" SET "processed_at" = statement_timestamp() )"
     R"(WHERE "id" = $1)",
     "id"},
    {"retry counts (C-051)", jobs(counted), event::retry,
     R"(UPDATE "jobs" SET )" ATTEMPT_PLUS_ONE R"( WHERE "id" = $1)", "id"},
    {"without a count the transaction's end is the retry", jobs(bare),
     event::retry, "", ""},
    {"retry_after counts (C-052)", jobs(counted), event::retry_after,
     R"(UPDATE "jobs" SET "retry_after" = $1, )" ATTEMPT_PLUS_ONE
     R"( WHERE "id" = $2)",
     "retry at, id"},
    {"retry_after on the database's clock (C-128)",
     on_database_clock({role::id, role::retry_after}), event::retry_after,
     R"(UPDATE "jobs" SET "retry_after" = statement_timestamp() + )"
     R"($1::bigint * interval '1 microsecond' WHERE "id" = $2)",
     "retry delay (microseconds), id"},
    {"dead letter", jobs({role::id, role::group, role::attempt}),
     event::dead_letter, R"(UPDATE "jobs" SET "group" = $1 WHERE "id" = $2)",
     "destination, id"},
    {"no lease to extend", jobs(counted), event::extend, "", ""},
    {"none to give back", jobs(counted), event::unclaim, "", ""},
    {"none to read back", jobs(counted), event::held, "", ""},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(a batch has a claim of its own size) {
  auto s = jobs(bare);
  s.settings.batch = 7;
  const auto built = unbox(speaks.build(s));
  CAF_CHECK_EQUAL(built->claim(100).limit, 7u);
  CAF_CHECK_EQUAL(built->claim(7).text.text,
                  R"(SELECT "id", "payload" FROM "jobs" ORDER BY "id" )"
                  R"(LIMIT 7 FOR UPDATE SKIP LOCKED)");
  CAF_CHECK_EQUAL(built->claim(6).limit, 5u);
}
