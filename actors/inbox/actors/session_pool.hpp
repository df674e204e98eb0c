#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "inbox/actors/session.hpp"
#include "inbox/log.hpp"

namespace inbox::actors {

/// Figures a pool keeps for `service::snapshot`; read from any thread.
class pool_counters {
public:
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint64_t> lost{0};
  std::shared_ptr<live_count> live = std::make_shared<live_count>();

  /// What an operator should know of the database; see `server_facts`.
  void note(const std::vector<std::string>& notes) {
    const std::lock_guard lock{mutex_};
    notes_ = notes;
  }
  std::vector<std::string> notes() const {
    const std::lock_guard lock{mutex_};
    return notes_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

/// Starts one session for a place of the pool; `spawn_session` in a service.
using session_maker
  = std::function<session(session_place, std::shared_ptr<connection>)>;

struct session_pool_settings {
  shared_database database;
  session_book::settings book;
  session_maker make_session;
  log_sink log;
  std::shared_ptr<pool_counters> counters = std::make_shared<pool_counters>();
};

/// Starts the pool; it opens sessions as they are asked for.
session_pool spawn_session_pool(caf::actor_system& sys,
                                session_pool_settings settings);

} // namespace inbox::actors
