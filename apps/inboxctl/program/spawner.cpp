#include "program/spawner.hpp"

#include <cstring>

#include "program/spawn.hpp"

namespace inboxctl {

spawner::spawner(std::string launcher)
  : launcher_{std::move(launcher)}, thread_{[this](std::stop_token stop) {
      work(std::move(stop));
    }} {}

inbox::expected<running_program> spawner::start(const program& what,
                                                const program_input& input) {
  job start{[this, &what, &input] { return spawn(launcher_, what, input); }};
  auto started = start.get_future();
  {
    std::lock_guard lock{guard_};
    jobs_.push_back(std::move(start));
  }
  arrived_.notify_one();
  return started.get();
}

void spawner::work(std::stop_token stop) {
  std::unique_lock lock{guard_};
  while (arrived_.wait(lock, stop, [this] { return !jobs_.empty(); })) {
    auto next = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
}

} // namespace inboxctl
