#include "inbox/actors/worker.hpp"

#include "inbox/actors/message.hpp"

namespace inbox::actors {

namespace {

/// The thread answers through the gate, straight to the supervisor.
class thread_worker_state {
public:
  using interface_type = worker;
  static inline const char* name = "inbox.thread_worker";

  explicit thread_worker_state(worker::pointer) {}

  worker::behavior_type start(handler call, std::shared_ptr<gate> out,
                              std::uint32_t number) {
    thread_.emplace(std::move(call), std::move(out), number);
    return {[this](const work& w) { thread_->run(w.row, w.signal); }};
  }

private:
  std::optional<handler_thread> thread_;
};

class actor_worker_state {
public:
  using interface_type = worker;
  static inline const char* name = "inbox.actor_worker";

  explicit actor_worker_state(worker::pointer self) : self_{self} {}

  worker::behavior_type start(caf::actor target, duration timeout,
                              supervisor to, std::uint32_t number) {
    target_ = std::move(target);
    timeout_ = timeout;
    supervisor_ = std::move(to);
    number_ = number;
    on_down(self_, target_, [this](const caf::error& why) { on_end(why); });
    return {[this](const work& w) { run(w); }};
  }

private:
  void run(const work& w) {
    running_ = w.row.number();
    const auto bound = timeout_ == duration::zero()
                         ? caf::duration{caf::infinite}
                         : caf::duration{timeout_};
    const auto d = running_;
    ask(self_, target_, bound, message::of(w.row))
      .then([this, d](outcome answer) { finish(d, answer); },
            [this, d](const caf::error& why) { fail(d, why); });
  }

  void on_end(const caf::error& why) {
    if (running_ != 0)
      fail(running_, why);
  }

  void fail(delivery_number d, const caf::error& why) {
    finish(d, refuse(errc::handler_failed,
                     "the handler's actor answered no outcome: "
                       + self_->system().render(why)));
  }

  /// The first end of a call counts.
  void finish(delivery_number d, handled answer) {
    if (d != running_)
      return;
    running_ = 0;
    tell(self_, supervisor_, worked{number_, d, std::move(answer)});
  }

  worker::pointer self_;
  caf::actor target_;
  duration timeout_{};
  supervisor supervisor_;
  std::uint32_t number_ = 0;
  delivery_number running_ = 0;
};

} // namespace

worker spawn_thread_worker(caf::actor_system& sys, handler call,
                           std::shared_ptr<gate> out, std::uint32_t number) {
  return spawn_state<thread_worker_state>(sys, std::move(call), std::move(out),
                                          number);
}

worker spawn_actor_worker(caf::actor_system& sys, caf::actor target,
                          duration timeout, supervisor work,
                          std::uint32_t number) {
  return spawn_state<actor_worker_state>(sys, std::move(target), timeout,
                                         std::move(work), number);
}

} // namespace inbox::actors
