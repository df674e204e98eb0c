#pragma once

#include <mutex>

#include <caf/actor_system_config.hpp>

#include "inbox/actors/queue_runtime.hpp"
#include "inbox/actors/service_end.hpp"
#include "inbox/actors/session_pool.hpp"
#include "inbox/actors/startup.hpp"
#include "inbox/announcement.hpp"

namespace inbox {

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
  /// @param to the rows' own table, which is to be the queue's.
  expected<std::vector<value>> enqueue(std::string_view queue, const table& to,
                                       const new_rows& rows);
  service_snapshot snapshot() const;
  bool owns_system() const noexcept { return own_system_ != nullptr; }

private:
  struct declared {
    subscription queue;
    actors::handler_target target;
  };

  expected<std::vector<shared_statements>> build() const;
  expected<std::vector<value>> write(const subscription& queue, const table& to,
                                     const new_rows& rows);
  /// Announces rows of a table once they are committed, where the pool does.
  std::function<void(connection&)> teller(const table& of,
                                          const written_groups& written) const;
  expected<const subscription*> find(std::string_view queue) const;
  void open_pool();
  expected<void> check(const std::vector<shared_statements>& statements);
  void tell_notes() const;
  void spawn(const std::vector<shared_statements>& statements);
  /// Which queues the announcements wake; refused where there are none.
  expected<actors::wake_list>
  announced(const std::vector<shared_statements>& statements) const;
  void listen(actors::wake_list queues);
  void stop_listening();
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
  std::unique_ptr<actors::notifier> notifier_; ///< where the pool listens
  duration skew_{};
  std::vector<std::string> notes_; ///< of the tables, found at the start

  std::shared_ptr<service_end> end_ = std::make_shared<service_end>();
  mutable std::mutex mutex_; ///< guards the two against `wake`, `snapshot`
};

} // namespace inbox
