#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

/// Rows whose settlement failed, each kept from starting again for a while, so
/// that it cannot starve the rows behind it. Kept by the supervisor alone.
class rows_aside {
public:
  explicit rows_aside(duration for_how_long) : wait_{for_how_long} {}

  void add(delivery_number d, instant now) {
    rows_.emplace_back(now + wait_, d);
  }

  std::vector<delivery_number> take_due(instant now) {
    std::vector<delivery_number> due;
    for (; !rows_.empty() && rows_.front().first <= now; rows_.pop_front())
      due.push_back(rows_.front().second);
    return due;
  }

  std::optional<instant> next() const {
    return rows_.empty() ? std::nullopt : std::optional{rows_.front().first};
  }

  std::size_t size() const { return rows_.size(); }

private:
  duration wait_;
  std::deque<std::pair<instant, delivery_number>> rows_; ///< oldest first
};

} // namespace inbox::actors
