#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: the id column takes an integer, text, bytes or a
// time
constexpr auto real_id = inbox::describe<job, "jobs">(id<&job::share>());

// refused: inbox::describe: the group column takes text
constexpr auto group_type = inbox::describe<job, "jobs">(id<&job::number>(),
                                                         group<&job::tries>());

// refused: inbox::describe: the partition_key column takes text or bytes
constexpr auto partition_key_type = inbox::describe<job, "jobs">(
  id<&job::number>(), partition_key<&job::tries>());

// refused: inbox::describe: the priority column takes a number, text or a time
constexpr auto priority_type = inbox::describe<job, "jobs">(
  id<&job::number>(), priority<&job::meta>());

// refused: inbox::describe: the attempt column takes an integer
constexpr auto attempt_type = inbox::describe<job, "jobs">(
  id<&job::number>(), attempt<&job::name>());

// refused: inbox::describe: the columns retry_after, locked_until and
// processed_at take a time
constexpr auto time_type = inbox::describe<job, "jobs">(
  id<&job::number>(), retry_after<&job::tries>());

// refused: inbox::describe: the headers column takes a JSON object, as
// inbox::header_map, JSON or text
constexpr auto headers_type = inbox::describe<job, "jobs">(
  id<&job::number>(), headers<&job::tries>());

// refused: inbox::describe: the payload column takes bytes, text or JSON
constexpr auto payload_type = inbox::describe<job, "jobs">(
  id<&job::number>(), payload<&job::tries>());
