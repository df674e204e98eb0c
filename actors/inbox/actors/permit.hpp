#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "inbox/driver.hpp"

namespace inbox::actors {

/// Leave to settle the rows of one claim and to claim the next in the same
/// trip, on the connection whose open transaction holds them (row lock form).
/// It goes with the rows to the worker that runs them; until that worker has
/// reported how it went on, nobody else uses the connection. The supervisor
/// may take it back at any time.
struct permit {
  std::uint64_t claim = 0; ///< under whose number the transaction is known
  std::uint32_t rows = 0;  ///< of that claim; as many are asked for next
  /// A worker whose handler is stuck keeps no connection.
  std::weak_ptr<connection> on{};
  /// Requests that wait for a session.
  std::shared_ptr<const std::atomic<std::uint32_t>> waiting{};
};

} // namespace inbox::actors
