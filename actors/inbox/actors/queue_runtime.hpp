#pragma once

#include <variant>

#include <caf/actor.hpp>

#include "inbox/actors/claimer.hpp"
#include "inbox/actors/notifier.hpp"
#include "inbox/actors/service.hpp"
#include "inbox/actors/supervisor.hpp"

namespace inbox::actors {

/// What runs a queue's handler.
using handler_target = std::variant<handler, batch_handler, caf::actor>;

struct queue_settings {
  shared_statements statements;
  handler_target target;
  clock_source clock;
  log_sink log;
  duration grace = 3s;
  bool one_writer = false;
  std::function<void(std::optional<failure>)> on_end;
  std::function<void()> on_stop;
};

/// The actors of one subscription and their way in and out. Owned by the
/// service, on the service's thread; `wake` and `snapshot` from any thread.
class queue_runtime {
public:
  /// Spawns the actors and starts claiming.
  queue_runtime(caf::actor_system& sys, queue_settings settings,
                session_pool pool);
  ~queue_runtime();
  queue_runtime(const queue_runtime&) = delete;
  queue_runtime& operator=(const queue_runtime&) = delete;

  void wake() const;
  /// Wakes it from anywhere, for as long as anybody likes.
  waker wakes() const;

  const supervisor& supervised_by() const noexcept { return supervisor_; }
  const subscription& of() const noexcept { return statements_->of(); }
  queue_snapshot snapshot() const;

private:
  void spawn_lease(caf::actor_system& sys, const queue_settings& settings,
                   const session_pool& pool);
  void spawn_row_lock(caf::actor_system& sys, const queue_settings& settings,
                      const session_pool& pool);
  std::shared_ptr<crew> make_crew(caf::actor_system& sys,
                                  const queue_settings& settings);

  shared_statements statements_;
  std::shared_ptr<queue_counters> counters_;
  std::shared_ptr<delivery_numbers> numbers_;
  std::shared_ptr<call_ends> calls_;
  supervisor supervisor_;
  claimer claimer_;
  std::shared_ptr<crew> crew_;
  holder keeper_;
  std::vector<caf::actor> others_; ///< ended with the queue
};

} // namespace inbox::actors
