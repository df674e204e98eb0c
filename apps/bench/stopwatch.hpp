#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "inbox/time.hpp"

namespace bench {

/// What draining a table took.
struct cost {
  inbox::duration wall{};
  inbox::duration client{}; ///< CPU of this process, all its threads
  /// CPU of the database's processes; nothing where they cannot be seen.
  std::optional<inbox::duration> server;
};

/// Reads the CPU time of a database's processes so far.
using server_clock = std::function<std::optional<inbox::duration>()>;

/// Measures from the first `start` to the first `stop`. Any thread.
class stopwatch {
public:
  explicit stopwatch(server_clock server) : server_{std::move(server)} {}

  void start();
  void stop();
  cost spent() const { return spent_; }

private:
  server_clock server_;
  std::once_flag started_;
  std::once_flag stopped_;
  std::chrono::steady_clock::time_point from_;
  cost before_;
  cost spent_;
};

/// CPU time this process has used, in the kernel too.
inbox::duration process_cpu();

} // namespace bench
