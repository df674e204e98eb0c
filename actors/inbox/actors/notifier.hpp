#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include <caf/actor.hpp>

#include "inbox/actors/session.hpp"
#include "inbox/actors/wake_list.hpp"
#include "inbox/log.hpp"

namespace inbox::actors {

/// Wakes a queue after that time. Any thread.
using waker = std::function<void(duration)>;

struct notifier_settings {
  shared_database database; ///< one that listens
  wake_list queues;
  std::vector<waker> wake; ///< of each queue
  log_sink log;
  /// Without a word for so long, the server is asked whether it is there.
  duration quiet = 10s;
};

/// Hears of new rows on a connection of its own and wakes their queues. Opens
/// it again when it is lost, and wakes every queue once then, since what was
/// announced meanwhile is gone. Owned by the service, on the service's thread.
class notifier {
public:
  /// Starts listening, on a thread of its own; waits for nothing.
  notifier(caf::actor_system& sys, notifier_settings settings);
  /// Ends the connection, also in the middle of a call, and waits for that.
  ~notifier();
  notifier(const notifier&) = delete;
  notifier& operator=(const notifier&) = delete;

  /// Any thread.
  bool is_connected() const noexcept { return line_->connected; }

  /// The connection of the moment, for whoever ends it.
  class line {
  public:
    /// @returns false when it has been cut: nothing may be opened any more.
    bool use(std::shared_ptr<listener> on);
    void cut();

    std::atomic<bool> connected{false};
    live_count live;

  private:
    std::mutex mutex_;
    std::shared_ptr<listener> on_;
    bool is_cut_ = false;
  };

private:
  std::shared_ptr<line> line_ = std::make_shared<line>();
  log_sink log_;
  caf::actor actor_;
};

} // namespace inbox::actors
