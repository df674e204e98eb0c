#define CAF_SUITE postgres_statements
#include "inbox/test/statements.hpp"

#include "inbox/postgres/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;

const postgres::dialect speaks;

const auto bare_lease = {role::id, role::locked_until, role::payload};
const auto lease = {role::id, role::group, role::retry_after, role::attempt,
                    role::locked_until};
const auto marked_lease = {role::id, role::locked_until, role::processed_at};

subscription in_schema(std::initializer_list<role> roles) {
  auto spec = jobs_spec(roles);
  spec.schema = "mail";
  return serving(spec);
}

} // namespace

CAF_TEST(a lease claim has only the clauses the table has columns for) {
  const written cases[] = {
    {"id and payload", jobs(bare_lease), event::claim,
     R"(WITH claimed AS (UPDATE "jobs" SET "locked_until" = $1 )"
     R"(WHERE ctid = ANY(ARRAY(SELECT ctid FROM "jobs" )"
     R"(WHERE ("locked_until" IS NULL OR "locked_until" <= $2) )"
     R"(ORDER BY "id" LIMIT 1 FOR UPDATE SKIP LOCKED)) )"
     R"(RETURNING "id", NULL AS "locked_until", "payload") )"
     R"(SELECT "id", "locked_until", "payload" FROM claimed ORDER BY "id")",
     "token, now"},
    {"finished rows stay out, the schema is named", in_schema(marked_lease),
     event::claim,
     R"(WITH claimed AS (UPDATE "mail"."jobs" SET "locked_until" = $1 )"
     R"(WHERE ctid = ANY(ARRAY(SELECT ctid FROM "mail"."jobs" )"
     R"(WHERE "processed_at" IS NULL AND )"
     R"(("locked_until" IS NULL OR "locked_until" <= $2) )"
     R"(ORDER BY "id" LIMIT 1 FOR UPDATE SKIP LOCKED)) )"
     R"(RETURNING "id", NULL AS "locked_until", "processed_at") )"
     R"(SELECT "id", "locked_until", "processed_at" FROM claimed )"
     R"(ORDER BY "id")",
     "token, now"},
    {"a group, due times and attempts", jobs(lease), event::claim,
     R"(WITH claimed AS (UPDATE "jobs" SET "locked_until" = $1, )"
     R"("attempt" = CASE WHEN "attempt" IS NULL THEN 2 )"
     R"(WHEN "attempt" < CASE pg_column_size("attempt") )"
     R"(WHEN 2 THEN 32767 WHEN 4 THEN 2147483647 )"
     R"(ELSE 9223372036854775807 END THEN "attempt" + 1 ELSE "attempt" END )"
     R"(WHERE ctid = ANY(ARRAY(SELECT ctid FROM (SELECT ctid FROM "jobs" )"
     R"(WHERE "group" = $2 AND "retry_after" IS NULL AND )"
     R"(("locked_until" IS NULL OR "locked_until" <= $3) )"
     R"(ORDER BY "retry_after", "id" LIMIT 1 FOR UPDATE SKIP LOCKED) )"
     R"(AS undated UNION ALL SELECT ctid FROM (SELECT ctid FROM "jobs" )"
     R"(WHERE "group" = $4 AND "retry_after" <= $5 AND )"
     R"(("locked_until" IS NULL OR "locked_until" <= $6) )"
     R"(ORDER BY "retry_after", "id" LIMIT 1 FOR UPDATE SKIP LOCKED) )"
     R"(AS due LIMIT 1)) RETURNING "id", "group", "retry_after", )"
     R"("attempt" - 1 AS "attempt", NULL AS "locked_until") )"
     R"(SELECT "id", "group", "retry_after", "attempt", "locked_until" )"
     R"(FROM claimed ORDER BY "retry_after" NULLS FIRST, "id")",
     "token, group, now, group, now, now"},
    {"a priority",
     jobs({role::id, role::priority, role::retry_after, role::locked_until}),
     event::claim,
     R"(WITH claimed AS (UPDATE "jobs" SET "locked_until" = $1 )"
     R"(WHERE ctid = ANY(ARRAY(SELECT ctid FROM "jobs" )"
     R"(WHERE ("retry_after" IS NULL OR "retry_after" <= $2) AND )"
     R"(("locked_until" IS NULL OR "locked_until" <= $3) )"
     R"(ORDER BY "priority", "retry_after", "id" LIMIT 1 )"
     R"(FOR UPDATE SKIP LOCKED)) )"
     R"(RETURNING "id", "priority", "retry_after", NULL AS "locked_until") )"
     R"(SELECT "id", "priority", "retry_after", "locked_until" FROM claimed )"
     R"(ORDER BY "priority", "retry_after" NULLS FIRST, "id")",
     "token, now, now"},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(a lease settlement names the rows by ids and one token) {
  const auto s = jobs(lease);
  const written cases[] = {
    {"ack", s, event::ack,
     R"(DELETE FROM "jobs" WHERE "id" = ANY($1) AND "locked_until" = $2 )"
     R"(AND "attempt" = $3 RETURNING "id")",
     "ids, held token, held attempt"},
    {"discard is ack (C-039)", s, event::discard,
     R"(DELETE FROM "jobs" WHERE "id" = ANY($1) AND "locked_until" = $2 )"
     R"(AND "attempt" = $3 RETURNING "id")",
     "ids, held token, held attempt"},
    {"retry does not count (C-065)", s, event::retry,
     R"(UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ANY($1) )"
     R"(AND "locked_until" = $2 AND "attempt" = $3 RETURNING "id")",
     "ids, held token, held attempt"},
    {"retry_after", s, event::retry_after,
     R"(UPDATE "jobs" SET "retry_after" = $1, "locked_until" = NULL )"
     R"(WHERE "id" = ANY($2) AND "locked_until" = $3 AND "attempt" = $4 )"
     R"(RETURNING "id")",
     "retry at, ids, held token, held attempt"},
    {"unclaim takes the count back", s, event::unclaim,
     R"(UPDATE "jobs" SET "locked_until" = NULL, "attempt" = "attempt" - 1 )"
     R"(WHERE "id" = ANY($1) AND "locked_until" = $2 AND "attempt" = $3 )"
     R"(RETURNING "id")",
     "ids, held token, held attempt"},
    {"dead letter to a group keeps the attempt (C-040)", s, event::dead_letter,
     R"(UPDATE "jobs" SET "group" = $1, "locked_until" = NULL )"
     R"(WHERE "id" = ANY($2) AND "locked_until" = $3 AND "attempt" = $4 )"
     R"(RETURNING "id")",
     "destination, ids, held token, held attempt"},
    {"extend (C-064)", s, event::extend,
     R"(UPDATE "jobs" SET "locked_until" = $1 WHERE "id" = ANY($2) )"
     R"(AND "locked_until" = $3 AND "attempt" = $4 RETURNING "id")",
     "token, ids, held token, held attempt"},
    {"held", s, event::held,
     R"(SELECT "id" FROM "jobs" WHERE "id" = ANY($1) )"
     R"(AND "locked_until" = $2 AND "attempt" = $3 FOR UPDATE)",
     "ids, held token, held attempt"},
    {"a marked row keeps no lease", jobs(marked_lease), event::ack,
     R"(UPDATE "jobs" SET "processed_at" = $1, "locked_until" = NULL )"
     R"(WHERE "id" = ANY($2) AND "locked_until" = $3 RETURNING "id")",
     "now, ids, held token"},
    {"no due time, no delayed retry (C-044)", jobs(marked_lease),
     event::retry_after, "", ""},
    {"no group, no dead letter", jobs(marked_lease), event::dead_letter, "",
     ""},
    {"no attempt, nothing to take back", jobs(bare_lease), event::unclaim,
     R"(UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ANY($1) )"
     R"(AND "locked_until" = $2 RETURNING "id")",
     "ids, held token"},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(a dead letter moves to another table in one statement (C-041)) {
  check(speaks,
        {"lease",
         with_dead_letter(jobs({role::id, role::attempt, role::locked_until}),
                          "mail.dead jobs"),
         event::dead_letter,
         R"(WITH moved AS (DELETE FROM "jobs" WHERE "id" = ANY($1) )"
         R"(AND "locked_until" = $2 AND "attempt" = $3 )"
         R"(RETURNING "id", "attempt", "locked_until") )"
         R"(INSERT INTO "mail"."dead jobs" ("id", "attempt", "locked_until") )"
         R"(SELECT "id", "attempt", NULL FROM moved RETURNING "id")",
         "ids, held token, held attempt"});
  check(speaks,
        {"row lock", with_dead_letter(jobs({role::id, role::attempt}), "dead"),
         event::dead_letter,
         R"(WITH moved AS (DELETE FROM "jobs" WHERE "id" = $1 )"
         R"(RETURNING "id", "attempt") )"
         R"(INSERT INTO "dead" ("id", "attempt") )"
         R"(SELECT "id", "attempt" FROM moved RETURNING "id")",
         "id"});
}

CAF_TEST(a fetch and an insert are the same in every form (C-038 C-093)) {
  const written cases[] = {
    {"fetch", jobs({role::id, role::payload}), event::fetch,
     R"(SELECT "id", "payload" FROM "jobs" WHERE "id" = ANY($1))", "ids"},
    {"insert", jobs({role::id, role::group, role::payload}), event::insert,
     R"(INSERT INTO "jobs" ("group", "payload") VALUES ($1, $2) )"
     R"(RETURNING "id")",
     "value 1, value 2"},
  };
  for (const auto& c : cases)
    check(speaks, c);
}
