#pragma once

#include "inbox/driver.hpp"

namespace inbox::postgres {

/// Refuses the lease form over partitions or child tables: its claim finds
/// rows by a place that is unique within one table alone, and would take rows
/// it did not select.
/// @returns `errc::unsupported_form`, or why the server could not be asked.
expected<void> check_one_table(inbox::connection& on, const table& t);

} // namespace inbox::postgres
