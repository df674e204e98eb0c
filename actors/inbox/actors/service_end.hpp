#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "inbox/actors/protocol.hpp"

namespace inbox {

/// What the actors of a service tell it, and how it drains them. Shared with
/// them, since they may end after it. Any thread.
class service_end {
public:
  void add(actors::supervisor s);
  /// Drains every queue, those added later too.
  void drain(bool at_once);
  void on_queue_end(std::optional<failure> why);

  /// Waits until every queue has ended; with `or_draining` no longer than
  /// until somebody drains. @returns false when `at_most` passed first.
  bool wait(std::optional<duration> at_most, bool or_draining);

  std::optional<failure> stopped_by() const;
  /// Lets go of the queues.
  void forget();

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<actors::supervisor> queues_;
  std::size_t ended_ = 0;
  bool draining_ = false;
  std::optional<failure> stopped_by_;
};

} // namespace inbox
