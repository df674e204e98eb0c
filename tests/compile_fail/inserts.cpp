#include "job.hpp"

consteval auto inbox_table(std::type_identity<job>) {
  using namespace inbox::role;
  return inbox::describe<job, "jobs">(
    id<"job_id">(), data<&job::body, "a123456789a123456789a123456789a123456789"
                                     "a123456789a123456789a123">());
}

auto values(const job& j) {
  // refused: inbox::insert_values: a column without a member has no value; give
  // it a member or mark it generated
  return inbox::insert_values(j);
}

// refused: inbox::insert_sql: this database is not served yet; postgres_db and
// sqlite_db are
constexpr auto on_mysql = inbox::insert_sql<job, inbox::mysql_db>;

// refused: inbox::insert_sql: a name is longer than the 63 bytes Postgres
// keeps; use a shorter one
constexpr auto too_long = inbox::insert_sql<job, inbox::postgres_db>;
