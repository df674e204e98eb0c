#pragma once

#include <atomic>

#include "inbox/actors/session.hpp"
#include "inbox/log.hpp"

namespace inbox::actors {

/// Figures a pool keeps for `service::snapshot`; read from any thread.
struct pool_counters {
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint64_t> lost{0};
  std::shared_ptr<live_count> live = std::make_shared<live_count>();
};

/// Starts one session for a place of the pool; `spawn_session` in a service.
using session_maker = std::function<session(
  session_place, std::shared_ptr<connection>)>;

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
