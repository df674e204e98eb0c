#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: no column has the role id; name the column that
// identifies a row
constexpr auto no_id = inbox::describe<job, "jobs">(payload<&job::body>());

// refused: inbox::describe: the role id is given twice
constexpr auto id_twice = inbox::describe<job, "jobs">(id<&job::number>(),
                                                       id<&job::name>());

// refused: inbox::describe: the role group is given twice
constexpr auto group_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), group<&job::name>(), group<"other">(fifo));

// refused: inbox::describe: the role payload is given twice
constexpr auto payload_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), payload<&job::body>(), payload<"other">());

// refused: inbox::describe: lock_key is given twice
constexpr auto lock_key_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), lock_key<"a">(), lock_key<"b">());

// refused: inbox::describe: database_clock is given twice
constexpr auto clock_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), database_clock, database_clock);

// refused: inbox::describe: opens is given twice
constexpr auto opens_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), opens<inbox::opening::immediate>(),
  opens<inbox::opening::serializable>());

// refused: inbox::describe: an argument is none of inbox::role's
constexpr auto not_a_role = inbox::describe<job, "jobs">(id<&job::number>(), 5);
