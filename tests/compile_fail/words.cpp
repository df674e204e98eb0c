#include "job.hpp"

using namespace inbox::role;

// refused: inbox::describe: generated is said twice of one column
constexpr auto generated_twice = inbox::describe<job, "jobs">(
  id<&job::number>(generated, generated));

// refused: inbox::describe: fifo is said twice of one column
constexpr auto fifo_twice = inbox::describe<job, "jobs">(
  id<&job::number>(), group<&job::name>(fifo, fifo));

// refused: inbox::describe: fifo is said of a column that is not the group; it
// belongs to the group
constexpr auto fifo_on_id = inbox::describe<job, "jobs">(
  id<&job::number>(fifo));

// refused: inbox::describe: a column takes the words generated and fifo
constexpr auto unknown_word = inbox::describe<job, "jobs">(
  id<&job::number>(true));
