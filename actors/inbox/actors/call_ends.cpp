#include "inbox/actors/call_ends.hpp"

#include <utility>

namespace inbox::actors {

void call_ends::put(call_end end) {
  const std::lock_guard lock{mutex_};
  if (!nudge_)
    return;
  ends_.push_back(std::move(end));
  if (ends_.size() == 1)
    nudge_();
}

void call_ends::put(std::vector<call_end>& ends) {
  for (auto& end : ends)
    put(std::move(end));
  ends.clear();
}

void call_ends::take(std::vector<call_end>& into) {
  into.clear();
  const std::lock_guard lock{mutex_};
  std::swap(into, ends_);
}

void call_ends::close() {
  std::function<void()> dropped;
  const std::lock_guard lock{mutex_};
  std::swap(dropped, nudge_);
}

} // namespace inbox::actors
