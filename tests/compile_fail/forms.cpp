#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: locked_until makes a lease table and lock_key an
// advisory one; keep one of the two
constexpr auto two_forms = inbox::describe<job, "jobs">(
  id<&job::number>(), locked_until<&job::due>(), lock_key<"a">());

// refused: inbox::describe: a lease reads the host's clock; remove
// database_clock
constexpr auto lease_on_database_clock = inbox::describe<job, "jobs">(
  id<&job::number>(), locked_until<&job::due>(), database_clock);

// refused: inbox::describe: fifo does not go with lock_key; put the group into
// the lock_key instead
constexpr auto fifo_with_lock_key = inbox::describe<job, "jobs">(
  id<&job::number>(), group<&job::name>(fifo), lock_key<"a">());
