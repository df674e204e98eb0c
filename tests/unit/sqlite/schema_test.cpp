#define CAF_SUITE sqlite_schema
#include "inbox/test/statements.hpp"

#include "inbox/sqlite/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;

const sqlite::dialect speaks;

} // namespace

CAF_TEST(a queue has defaults and an index in claim order) {
  const auto s = jobs({role::id, role::group, role::priority, role::retry_after,
                       role::attempt, role::locked_until, role::headers,
                       role::payload});
  CAF_CHECK_EQUAL(unbox(speaks.ddl(s)), R"(CREATE TABLE IF NOT EXISTS `jobs` (
  `id` INTEGER PRIMARY KEY,
  `group` TEXT NOT NULL,
  `priority` INTEGER NOT NULL DEFAULT 0,
  `retry_after` TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  `attempt` INTEGER NOT NULL DEFAULT 1,
  `locked_until` TEXT,
  `headers` TEXT NOT NULL DEFAULT '{}',
  `payload` BLOB
);
CREATE INDEX IF NOT EXISTS `jobs_claim` ON `jobs` (`group`, `priority`, `retry_after`, `id`);
)");
}

CAF_TEST(a queue of an attached file with its dead letter table) {
  auto spec = jobs_spec({role::id, role::retry_after, role::attempt,
                         role::locked_until, role::processed_at});
  spec.schema = "mail";
  spec.columns[0].type = column_type::text;
  const auto s = with_dead_letter(serving(spec), "mail.dead");
  CAF_CHECK_EQUAL(unbox(speaks.ddl(s)),
                  R"(CREATE TABLE IF NOT EXISTS `mail`.`jobs` (
  `id` TEXT NOT NULL PRIMARY KEY,
  `retry_after` TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  `attempt` INTEGER NOT NULL DEFAULT 1,
  `locked_until` TEXT,
  `processed_at` TEXT
);
CREATE INDEX IF NOT EXISTS `mail`.`jobs_claim` ON `jobs` (`retry_after`, `id`) WHERE `processed_at` IS NULL;
CREATE TABLE IF NOT EXISTS `mail`.`dead` (
  `id` TEXT NOT NULL PRIMARY KEY,
  `retry_after` TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  `attempt` INTEGER NOT NULL DEFAULT 1,
  `locked_until` TEXT,
  `processed_at` TEXT
);
)");
}
