#include "inbox/sqlite/write_queue.hpp"

#include <algorithm>
#include <map>

#include <sys/stat.h>

namespace inbox::sqlite {

std::shared_ptr<write_queue> write_queue::of(const char* path) {
  struct stat seen {};
  if (path == nullptr || *path == 0 || ::stat(path, &seen) != 0)
    return std::make_shared<write_queue>();
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<write_queue>> queues;
  const std::lock_guard guard{mutex};
  std::erase_if(queues,
                [](const auto& entry) { return entry.second.expired(); });
  auto& known = queues[{seen.st_dev, seen.st_ino}];
  auto queue = known.lock();
  if (!queue)
    known = queue = std::make_shared<write_queue>();
  return queue;
}

bool write_queue::enter(instant until, const breaker& stop) {
  // A broken-off caller is woken by nobody; it looks by itself now and then.
  constexpr auto look = std::chrono::milliseconds{20};
  std::unique_lock guard{mutex_};
  const auto ticket = ++tickets_;
  waiting_.push_back(ticket);
  while (waiting_.front() != ticket) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= until || stop.is_broken()) {
      waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
      return false;
    }
    moved_.wait_until(guard, std::min(until, now + look));
  }
  return true;
}

void write_queue::leave() noexcept {
  const std::lock_guard guard{mutex_};
  waiting_.pop_front();
  moved_.notify_all();
}

} // namespace inbox::sqlite
