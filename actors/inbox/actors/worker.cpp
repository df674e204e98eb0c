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

/// A request's own time-out stays with CAF's clock until it passes, answered
/// or not; one timer of the worker's serves every call instead.
class actor_worker_state {
public:
  using interface_type
    = interface<caf::result<void>(work), caf::result<void>(tick)>;
  static inline const char* name = "inbox.actor_worker";

  explicit actor_worker_state(interface_type::pointer self) : self_{self} {}

  interface_type::behavior_type start(caf::actor target, duration timeout,
                                      supervisor to, std::uint32_t number) {
    target_ = std::move(target);
    timeout_ = timeout;
    supervisor_ = std::move(to);
    number_ = number;
    on_down(self_, target_, [this](const caf::error& why) { on_end(why); });
    return {
      [this](const work& w) { run(w); },
      [this](tick) { on_tick(); },
    };
  }

private:
  void run(const work& w) {
    running_ = w.row.number();
    silent_until_ = steady_now(self_) + timeout_;
    arm();
    const auto d = running_;
    ask(self_, target_, caf::infinite, message::of(w.row))
      .then([this, d](outcome answer) { finish(d, answer); },
            [this, d](const caf::error& why) { fail(d, render(why)); });
  }

  void on_end(const caf::error& why) { fail(running_, render(why)); }

  void arm() {
    if (armed_ || timeout_ == duration::zero())
      return;
    armed_ = true;
    tell_after(self_, interface_type{self_}, silent_until_ - steady_now(self_),
               tick{});
  }

  void on_tick() {
    armed_ = false;
    if (running_ == 0)
      return;
    if (steady_now(self_) < silent_until_)
      arm();
    else
      fail(running_, "nothing within " + to_string(timeout_));
  }

  std::string render(const caf::error& why) const {
    return self_->system().render(why);
  }

  void fail(delivery_number d, const std::string& why) {
    finish(d, refuse(errc::handler_failed,
                     "the handler's actor answered no outcome: " + why));
  }

  /// The first end of a call counts.
  void finish(delivery_number d, handled answer) {
    if (d == 0 || d != running_)
      return;
    running_ = 0;
    tell(self_, supervisor_, worked{number_, d, std::move(answer)});
  }

  interface_type::pointer self_;
  caf::actor target_;
  duration timeout_{};
  supervisor supervisor_;
  std::uint32_t number_ = 0;
  delivery_number running_ = 0;
  instant silent_until_{}; ///< then the call has failed
  bool armed_ = false;
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
  return caf::actor_cast<worker>(spawn_state<actor_worker_state>(
    sys, std::move(target), timeout, std::move(work), number));
}

} // namespace inbox::actors
