#include "job.hpp"

using namespace inbox::role;

// The control: a description that breaks no rule.

constexpr auto accepted = inbox::describe<job, "app.jobs">(
  id<&job::number, "job_id">(generated), group<&job::name>(fifo),
  attempt<&job::tries>(), retry_after<&job::due>(), payload<&job::body>(),
  data<"other">(), opens<inbox::opening::immediate>());
