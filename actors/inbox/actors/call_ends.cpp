#include "inbox/actors/call_ends.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inbox::actors {

void call_ends::put(call_end end) {
  std::vector<call_end> one;
  one.push_back(std::move(end));
  put(one);
}

void call_ends::put(std::vector<call_end>& ends, std::size_t enough) {
  const std::lock_guard lock{mutex_};
  if (nudge_)
    std::move(ends.begin(), ends.end(), std::back_inserter(ends_));
  ends.clear();
  if (!nudge_ || nudged_ || ends_.size() < enough)
    return;
  nudged_ = true;
  nudge_();
}

bool call_ends::has_any() const {
  const std::lock_guard lock{mutex_};
  return !ends_.empty();
}

void call_ends::take(std::vector<call_end>& into) {
  into.clear();
  const std::lock_guard lock{mutex_};
  std::swap(into, ends_);
  nudged_ = false;
}

void call_ends::close() {
  std::function<void()> dropped;
  const std::lock_guard lock{mutex_};
  std::swap(dropped, nudge_);
}

} // namespace inbox::actors
