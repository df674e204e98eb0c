#define CAF_SUITE sqlite_statements
#include "inbox/test/statements.hpp"

#include "inbox/sqlite/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;

const sqlite::dialect speaks;
const sqlite::dialect exact{sqlite::time_shape::exact};

const auto bare = {role::id, role::locked_until, role::payload};
const auto marked = {role::id, role::locked_until, role::processed_at};
const auto counted = {role::id, role::attempt, role::locked_until};
const auto dated = {role::id, role::group, role::retry_after,
                    role::locked_until};
const auto urgent = {role::id, role::priority, role::retry_after,
                     role::locked_until};

} // namespace

CAF_TEST(a claim has only the clauses the table has columns for) {
  const written cases[] = {
    {"id and payload", jobs(bare), event::claim,
     "SELECT `id`, `locked_until`, `payload` FROM `jobs` "
     "WHERE (`locked_until` IS NULL OR `locked_until` <= ?) "
     "ORDER BY `id` LIMIT ?",
     "now, limit"},
    {"the attempt of a row that has none is 1", jobs(counted), event::claim,
     "SELECT `id`, CASE WHEN `attempt` IS NULL THEN 1 "
     "WHEN `attempt` = 9223372036854775807 THEN 9223372036854775806 "
     "ELSE `attempt` END AS `attempt`, `locked_until` FROM `jobs` "
     "WHERE (`locked_until` IS NULL OR `locked_until` <= ?) "
     "ORDER BY `id` LIMIT ?",
     "now, limit"},
    {"a group and due times", jobs(dated), event::claim,
     "SELECT `id`, `group`, `retry_after`, `locked_until` FROM `jobs` "
     "WHERE `group` = ? AND `retry_after` IS NULL AND "
     "(`locked_until` IS NULL OR `locked_until` <= ?) "
     "UNION ALL "
     "SELECT `id`, `group`, `retry_after`, `locked_until` FROM `jobs` "
     "WHERE `group` = ? AND `retry_after` <= ? AND "
     "(`locked_until` IS NULL OR `locked_until` <= ?) "
     "ORDER BY `retry_after`, `id` LIMIT ?",
     "group, now, group, now, now, limit"},
    {"a priority", jobs(urgent), event::claim,
     "SELECT `id`, `priority`, `retry_after`, `locked_until` FROM `jobs` "
     "WHERE (`retry_after` IS NULL OR `retry_after` <= ?) AND "
     "(`locked_until` IS NULL OR `locked_until` <= ?) "
     "ORDER BY `priority`, `retry_after`, `id` LIMIT ?",
     "now, now, limit"},
    {"marked rows stay out", jobs(marked), event::claim,
     "SELECT `id`, `locked_until`, `processed_at` FROM `jobs` "
     "WHERE `processed_at` IS NULL AND "
     "(`locked_until` IS NULL OR `locked_until` <= ?) "
     "ORDER BY `id` LIMIT ?",
     "now, limit"},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(times of other forms are compared by the date functions) {
  check(exact,
        {"due times", jobs(dated), event::claim,
         "SELECT * FROM ("
         "SELECT `id`, `group`, `retry_after`, `locked_until` FROM `jobs` "
         "WHERE `group` = ? AND `retry_after` IS NULL AND "
         "(`locked_until` IS NULL OR `locked_until` <= ?) "
         "UNION ALL "
         "SELECT `id`, `group`, `retry_after`, `locked_until` FROM `jobs` "
         "WHERE `group` = ? AND (`retry_after` < date(?, '+2 days') AND "
         "julianday(`retry_after`) <= julianday(?)) AND "
         "(`locked_until` IS NULL OR `locked_until` <= ?)) "
         "ORDER BY julianday(`retry_after`), `retry_after`, `id` LIMIT ?",
         "group, now, group, now, now, now, limit"});
}

CAF_TEST(a settlement names one row by id and token) {
  const written cases[] = {
    {"stamp (C-063)", jobs(counted), event::stamp,
     "UPDATE `jobs` SET `locked_until` = ?, "
     "`attempt` = CASE WHEN `attempt` IS NULL THEN 2 "
     "WHEN typeof(`attempt`) = 'integer' AND "
     "`attempt` < 9223372036854775807 THEN `attempt` + 1 "
     "ELSE `attempt` END "
     "WHERE `id` = ? AND (`locked_until` IS NULL OR `locked_until` <= ?)",
     "token, id, now"},
    {"ack", jobs(bare), event::ack,
     "DELETE FROM `jobs` WHERE `id` = ? AND `locked_until` = ?",
     "id, held token"},
    {"discard is ack (C-039)", jobs(bare), event::discard,
     "DELETE FROM `jobs` WHERE `id` = ? AND `locked_until` = ?",
     "id, held token"},
    {"ack with a mark", jobs(marked), event::ack,
     "UPDATE `jobs` SET `processed_at` = ?, `locked_until` = NULL "
     "WHERE `id` = ? AND `locked_until` = ?",
     "now, id, held token"},
    {"retry does not count (C-065)", jobs(counted), event::retry,
     "UPDATE `jobs` SET `locked_until` = NULL WHERE `id` = ? AND "
     "`locked_until` = ? AND `attempt` IS ifnull(?, `attempt`)",
     "id, held token, held attempt"},
    {"retry_after", jobs(dated), event::retry_after,
     "UPDATE `jobs` SET `retry_after` = ?, `locked_until` = NULL "
     "WHERE `id` = ? AND `locked_until` = ?",
     "retry at, id, held token"},
    {"unclaim takes the count back", jobs(counted), event::unclaim,
     "UPDATE `jobs` SET `locked_until` = NULL, `attempt` = `attempt` - 1 "
     "WHERE `id` = ? AND `locked_until` = ? AND "
     "`attempt` IS ifnull(?, `attempt`)",
     "id, held token, held attempt"},
    {"dead letter to a group (C-040)", jobs(dated), event::dead_letter,
     "UPDATE `jobs` SET `group` = ?, `locked_until` = NULL "
     "WHERE `id` = ? AND `locked_until` = ?",
     "destination, id, held token"},
    {"dead letter to a table (C-041)",
     with_dead_letter(jobs(counted), "main.dead"), event::dead_letter,
     "INSERT INTO `main`.`dead` (`id`, `attempt`, `locked_until`) "
     "SELECT `id`, `attempt`, NULL FROM `jobs` WHERE `id` = ? AND "
     "`locked_until` = ? AND `attempt` IS ifnull(?, `attempt`); "
     "DELETE FROM `jobs` WHERE `id` = ? AND `locked_until` = ? AND "
     "`attempt` IS ifnull(?, `attempt`)",
     "id, held token, held attempt; id, held token, held attempt"},
    {"extend (C-064)", jobs(bare), event::extend,
     "UPDATE `jobs` SET `locked_until` = ? "
     "WHERE `id` = ? AND `locked_until` = ?",
     "token, id, held token"},
    {"held", jobs(bare), event::held,
     "SELECT `id` FROM `jobs` WHERE `id` = ? AND `locked_until` = ?",
     "id, held token"},
    {"insert", jobs(bare), event::insert,
     "INSERT INTO `jobs` (`locked_until`, `payload`) VALUES (?, ?) "
     "RETURNING `id`",
     "value 1, value 2"},
    {"no fetch by many ids (C-038)", jobs(bare), event::fetch, "", ""},
    {"no due time, no delayed retry (C-044)", jobs(bare), event::retry_after,
     "", ""},
  };
  for (const auto& c : cases)
    check(speaks, c);
}

CAF_TEST(what SQLite does not serve is refused by name (C-047)) {
  auto advisory = jobs_spec({role::id});
  advisory.lock_key = "jobs-{id}";
  auto fifo = jobs_spec({role::id, role::group, role::locked_until});
  fifo.fifo = true;
  auto level = jobs_spec({role::id, role::locked_until});
  level.opens = opening::serializable;
  const struct {
    const char* why;
    table_spec spec;
    errc code;
  } cases[] = {
    {"row locks (C-018)", jobs_spec({role::id}), errc::unsupported_form},
    {"advisory", advisory, errc::unsupported_form},
    {"fifo", fifo, errc::unsupported_fifo},
    {"an isolation level (C-091)", level, errc::unsupported_opening},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.why);
    const auto why = refusal(speaks.build(serving(c.spec)));
    CAF_CHECK_EQUAL(why.code(), c.code);
    CAF_CHECK_EQUAL(why.subscription(), "emails");
    CAF_CHECK_EQUAL(why.table(), "jobs");
  }
}

CAF_TEST(a transaction opens in the mode the table declares (C-091)) {
  const struct {
    opening how;
    const char* text;
  } cases[] = {
    {opening::standard, "BEGIN"},
    {opening::deferred, "BEGIN DEFERRED"},
    {opening::immediate, "BEGIN IMMEDIATE"},
    {opening::exclusive, "BEGIN EXCLUSIVE"},
  };
  for (const auto& c : cases) {
    auto spec = jobs_spec(bare);
    spec.opens = c.how;
    CAF_CHECK_EQUAL(unbox(speaks.begin(serving(spec).description)), c.text);
  }
}

CAF_TEST(names are quoted by backticks (C-030)) {
  CAF_CHECK_EQUAL(speaks.quote("a`b"), "`a``b`");
  CAF_CHECK_EQUAL(speaks.placeholder(3), "?");
}
