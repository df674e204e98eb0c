#pragma once

#include <condition_variable>
#include <mutex>

#include <caf/actor_system_config.hpp>

#include "inbox/actors/queue_runtime.hpp"
#include "inbox/actors/session_pool.hpp"
#include "inbox/actors/startup.hpp"

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

  bool is_draining() const;
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

/// What a service is made of.
class service::body {
public:
  body(caf::actor_system* host, pool over, service_settings settings);
  ~body();

  void declare(subscription queue, actors::handler_target target);
  /// A queue that cannot be served, for `start` to report.
  void keep_refusal(failure why);
  expected<void> start();
  expected<void> stop();
  void drain(bool at_once);
  bool wait(std::optional<duration> at_most) {
    return end_->wait(at_most, true);
  }
  void wake(std::string_view queue) const;
  expected<void> with_session(std::function<expected<void>(connection&)> work,
                              duration at_most);
  expected<std::vector<value>> enqueue(std::string_view queue,
                                       std::span<const new_row> rows);
  service_snapshot snapshot() const;
  bool owns_system() const noexcept { return own_system_ != nullptr; }

private:
  struct declared {
    subscription queue;
    actors::handler_target target;
  };

  expected<std::vector<shared_statements>> build() const;
  void open_pool();
  expected<void> check(const std::vector<shared_statements>& statements);
  void spawn(const std::vector<shared_statements>& statements);
  void close_pool();

  // Last to go: what the rest lives in.
  std::unique_ptr<caf::actor_system_config> own_config_;
  std::unique_ptr<caf::actor_system> own_system_;
  caf::actor_system* system_ = nullptr;

  pool over_;
  service_settings settings_;
  std::vector<declared> declared_;
  std::optional<failure> refused_; ///< the first
  actors::session_pool pool_;
  std::shared_ptr<actors::pool_counters> pool_counters_;
  std::vector<std::unique_ptr<actors::queue_runtime>> running_;
  duration skew_{};

  std::shared_ptr<service_end> end_ = std::make_shared<service_end>();
  mutable std::mutex mutex_; ///< guards `running_` against `wake`, `snapshot`
};

} // namespace inbox
