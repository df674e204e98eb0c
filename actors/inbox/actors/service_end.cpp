#include "inbox/actors/service_end.hpp"

#include <utility>

namespace inbox {

void service_end::add(actors::supervisor s) {
  const std::lock_guard lock{mutex_};
  if (draining_)
    actors::tell_anonymously(s, actors::drain_work{});
  queues_.push_back(std::move(s));
}

void service_end::drain(bool at_once) {
  const std::lock_guard lock{mutex_};
  draining_ = true;
  for (const auto& q : queues_)
    actors::tell_anonymously(q, actors::drain_work{at_once});
  changed_.notify_all();
}

void service_end::on_queue_end(std::optional<failure> why) {
  const std::lock_guard lock{mutex_};
  ++ended_;
  if (why && !stopped_by_)
    stopped_by_ = std::move(why);
  changed_.notify_all();
}

bool service_end::wait(std::optional<duration> at_most, bool or_draining) {
  std::unique_lock lock{mutex_};
  const auto over = [&] {
    // A service without queues ends when somebody drains it.
    return (or_draining && draining_)
           || (ended_ == queues_.size() && (draining_ || ended_ > 0));
  };
  if (at_most)
    return changed_.wait_for(lock, *at_most, over);
  changed_.wait(lock, over);
  return true;
}

std::optional<failure> service_end::stopped_by() const {
  const std::lock_guard lock{mutex_};
  return stopped_by_;
}

void service_end::forget() {
  std::vector<actors::supervisor> gone;
  const std::lock_guard lock{mutex_};
  std::swap(gone, queues_);
}

} // namespace inbox
