#pragma once

#include <functional>
#include <thread>

namespace inbox::actors {

/// Calls back on a thread of its own when SIGINT or SIGTERM arrives, with how
/// many have come so far. One at a time in a process; puts the earlier signal
/// handlers back when it ends.
class signal_watch {
public:
  explicit signal_watch(std::function<void(int count)> on_signal);
  ~signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

private:
  std::thread thread_;
};

} // namespace inbox::actors
