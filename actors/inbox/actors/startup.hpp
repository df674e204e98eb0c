#pragma once

#include <vector>

#include "inbox/driver.hpp"

namespace inbox::actors {

/// Builds a subscription's statements.
/// @returns the refusal of `check` or of the dialect, naming the subscription.
expected<shared_statements> build_statements(const dialect& speaks,
                                             const subscription& queue);

/// Refuses a queue that one of `earlier` serves already (C-110).
expected<void> check_unique(const std::vector<shared_statements>& earlier,
                            const subscription& queue);

/// What the first session found out.
struct start_report {
  duration clock_skew{}; ///< host minus database
  /// What an operator should change, a sentence each.
  std::vector<std::string> notes{};
};

/// Prepares every statement on an open session, compares the clocks and looks
/// for the index each table's claims want; runs
/// on that session's thread, before anything is claimed.
/// @returns `errc::schema`, or `errc::clock_skew` when the clocks differ by
///          more than a third of a lease.
expected<start_report> check_on(connection& on, const dialect& speaks,
                                const std::vector<shared_statements>& queues,
                                const clock_source& clock);

} // namespace inbox::actors
