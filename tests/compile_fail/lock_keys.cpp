#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: the lock_key has a { without a } after it
constexpr auto key_unclosed = inbox::describe<job, "jobs">(
  id<&job::number>(), lock_key<"a-{number">());

// refused: inbox::describe: the lock_key has a } without a { before it
constexpr auto key_stray = inbox::describe<job, "jobs">(
  id<&job::number>(), lock_key<"a-number}">());

// refused: inbox::describe: the lock_key has empty braces; write a member's
// name between them
constexpr auto key_empty = inbox::describe<job, "jobs">(id<&job::number>(),
                                                        lock_key<"a-{}">());

// refused: inbox::describe: the lock_key names no column of this description;
// write the name of one of its members
constexpr auto key_unknown = inbox::describe<job, "jobs">(
  id<&job::number>(), lock_key<"a-{name}">());

// refused: inbox::describe: the lock_key names no column of this description;
// write the name of one of its members
constexpr auto key_renamed = inbox::describe<job, "jobs">(
  id<&job::number, "job_id">(), lock_key<"a-{job_id}">());
