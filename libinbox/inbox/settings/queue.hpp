#pragma once

#include "inbox/settings.hpp"
#include "inbox/settings/section.hpp"

namespace inbox::settings {

/// Reads one section [queue.NAME] with its [queue.NAME.columns] and checks
/// everything that needs no database.
expected<queue_settings> read_queue(section& in);

/// Reads what describes the table: its name, form, clock and opening, the
/// columns by role and `data`. Faults stay in `in`.
/// @param all_columns set when the file leaves the data columns to the
///        database.
table_spec read_table(section& in, bool& all_columns);

} // namespace inbox::settings
