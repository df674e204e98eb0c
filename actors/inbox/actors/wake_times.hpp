#pragma once

#include <chrono>
#include <optional>
#include <set>

namespace inbox::actors {

/// When delayed retries become due: instants, rounded up so that many share
/// one and a timer for each row is not needed. Kept by the supervisor alone.
class wake_times {
public:
  using instant = std::chrono::steady_clock::time_point;

  void add(instant at) {
    const auto over = at.time_since_epoch() % round_to;
    times_.insert(at - over + round_to);
  }

  /// The instant to arm a timer for, when one earlier than those armed is
  /// needed; taken for armed then.
  std::optional<instant> to_arm() {
    if (times_.empty() || (armed_ && *armed_ <= *times_.begin()))
      return std::nullopt;
    return armed_ = *times_.begin();
  }

  /// A timer fired: takes out what has passed. @returns true when there was
  /// any.
  bool take_due(instant now) {
    armed_.reset();
    const auto end = times_.upper_bound(now);
    const bool any = end != times_.begin();
    times_.erase(times_.begin(), end);
    return any;
  }

private:
  static constexpr std::chrono::milliseconds round_to{10};
  std::set<instant> times_;
  std::optional<instant> armed_;
};

} // namespace inbox::actors
