#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: a column's name is empty
constexpr auto empty_column_name = inbox::describe<job, "jobs">(
  id<&job::number>(), data<"">());

// refused: inbox::describe: two columns have one name
constexpr auto column_name_twice = inbox::describe<job, "jobs">(
  id<&job::number, "n">(), data<&job::name, "n">());

// refused: inbox::describe: a member has two roles; a column plays one role
constexpr auto member_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), attempt<&job::number>());

// refused: inbox::describe: a member belongs to another struct than the one
// described
constexpr auto other_struct = inbox::describe<job, "jobs">(id<&other::key>());

// refused: inbox::describe: no column keeps this member's type; specialise
// inbox::column for it
constexpr auto unkept_type = inbox::describe<job, "jobs">(id<&job::number>(),
                                                          data<&job::odd>());

// refused: inbox::describe: the id is never NULL; its member is no
// std::optional
constexpr auto optional_id = inbox::describe<job, "jobs">(id<&job::customer>());
