#pragma once

#include <string>

namespace quickstart {

// Each command of the program; the answer is its exit code.

/// Creates the store and enqueues every regular file under `folder`.
int enqueue(const std::string& store, const std::string& folder);

/// Serves the queue until it is empty.
int serve(const std::string& store);

/// Prints how many tasks in a hundred are settled.
int percent(const std::string& store);

/// After a kill: prints how many rows it left in work, and remembers them.
int killed(const std::string& store);

/// Proves from the audit that nothing was lost; then a summary.
/// @returns 1 when the proof fails.
int report(const std::string& store);

} // namespace quickstart
