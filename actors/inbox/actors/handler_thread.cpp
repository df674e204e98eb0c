#include "inbox/actors/handler_thread.hpp"

#include <condition_variable>
#include <deque>

namespace inbox::actors {

void gate::let_in(std::uint32_t worker, delivery_number d, handled answer) {
  const std::lock_guard lock{mutex_};
  if (to_)
    to_(worker, d, std::move(answer));
}

void gate::close() {
  sink dropped;
  const std::lock_guard lock{mutex_};
  std::swap(dropped, to_);
}

/// What the thread and its owner share; the thread may outlive its owner.
struct handler_thread::shared {
  struct call {
    delivery row;
    std::shared_ptr<stop_signal> signal;
  };

  handler with;
  std::shared_ptr<gate> out;
  std::uint32_t worker;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<call> calls;
  bool ending = false;
  bool ended = false;

  void loop() {
    std::unique_lock lock{mutex};
    while (true) {
      changed.wait(lock, [this] { return ending || !calls.empty(); });
      if (ending)
        break;
      auto next = std::move(calls.front());
      calls.pop_front();
      lock.unlock();
      run(next);
      lock.lock();
    }
    ended = true;
    changed.notify_all();
  }

  void run(call& next) {
    context about{next.row, next.signal};
    auto answer = with(next.row, about);
    out->let_in(worker, next.row.number(), std::move(answer));
  }
};

handler_thread::handler_thread(handler call, std::shared_ptr<gate> out,
                               std::uint32_t worker)
  : shared_{std::make_shared<shared>()} {
  shared_->with = std::move(call);
  shared_->out = std::move(out);
  shared_->worker = worker;
  thread_ = std::thread{[s = shared_] { s->loop(); }};
}

handler_thread::~handler_thread() {
  if (!thread_.joinable())
    return;
  std::unique_lock lock{shared_->mutex};
  shared_->ending = true;
  shared_->changed.notify_all();
  // An idle thread ends at once; one in a handler is not waited for, since the
  // drain has waited already.
  const bool ended = shared_->changed.wait_for(
    lock, std::chrono::milliseconds{100}, [this] { return shared_->ended; });
  lock.unlock();
  if (ended)
    thread_.join();
  else
    thread_.detach();
}

void handler_thread::run(delivery d, std::shared_ptr<stop_signal> signal) {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->calls.push_back({std::move(d), std::move(signal)});
  }
  shared_->changed.notify_one();
}

} // namespace inbox::actors
