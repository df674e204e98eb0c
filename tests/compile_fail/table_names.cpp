#include "job.hpp"

using namespace inbox::role;

enum class color { red };

// refused: inbox::describe: the table's name is empty
constexpr auto empty_table_name = inbox::describe<job, "">(id<&job::number>());

// refused: inbox::describe: the table's name holds more than one dot; write
// "table" or "schema.table"
constexpr auto two_dots = inbox::describe<job, "a.b.c">(id<&job::number>());

// refused: inbox::describe: a part of the table's name is empty; write "table"
// or "schema.table"
constexpr auto empty_schema = inbox::describe<job, ".jobs">(id<&job::number>());

// refused: inbox::describe: only a struct with named fields describes a table
constexpr auto not_a_struct = inbox::describe<color, "colors">(id<"id">());
