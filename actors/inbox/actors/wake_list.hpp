#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inbox/driver.hpp"

namespace inbox::actors {

/// Which queues a notification wakes. Queues are numbered as they were added.
class wake_list {
public:
  /// @param group of the queue; nothing where the table has none.
  void add(std::string channel, std::optional<std::string> group) {
    queues_.push_back({std::move(channel), std::move(group)});
  }

  /// Each channel once, however many queues it has (C-264).
  std::vector<std::string> channels() const {
    std::vector<std::string> all;
    for (const auto& q : queues_)
      if (std::find(all.begin(), all.end(), q.channel) == all.end())
        all.push_back(q.channel);
    return all;
  }

  std::vector<std::size_t> all() const {
    std::vector<std::size_t> numbers(queues_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  /// Each queue once: a group's alone, or all of the table's where no group is
  /// named.
  std::vector<std::size_t> woken_by(std::span<const notification> come) const {
    auto woken = all();
    std::erase_if(woken, [&](std::size_t i) {
      return std::none_of(come.begin(), come.end(),
                          [&](const auto& n) { return wakes(n, queues_[i]); });
    });
    return woken;
  }

  std::size_t size() const noexcept { return queues_.size(); }

private:
  struct queue {
    std::string channel;
    std::optional<std::string> group;
  };

  static bool wakes(const notification& n, const queue& q) {
    return q.channel == n.channel
           && (n.payload.empty() || !q.group || *q.group == n.payload);
  }

  std::vector<queue> queues_;
};

} // namespace inbox::actors
