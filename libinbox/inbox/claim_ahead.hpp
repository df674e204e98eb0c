#pragma once

#include <chrono>
#include <cstdint>

#include "inbox/time.hpp"

namespace inbox {

/// How many deliveries to hold at once: what the handlers finish in about
/// 100 ms, found by doubling from the least upwards and never more than the
/// prefetch. Slow handlers get nothing ahead. Not thread-safe.
class claim_ahead {
public:
  using instant = std::chrono::steady_clock::time_point;

  /// @param least what keeps every worker busy: workers times batch.
  /// @param prefetch the ceiling.
  claim_ahead(std::uint32_t least, std::uint32_t prefetch) noexcept;

  /// `count` deliveries were finished by handlers.
  void on_finished(std::uint32_t count, instant now) noexcept;

  /// Deliveries to hold at once; `least` or more.
  std::uint32_t target() const noexcept { return target_; }

  /// The ceiling of deliveries held.
  std::uint32_t most() const noexcept { return most_; }

private:
  void begin(std::uint64_t target, instant now) noexcept;

  std::uint32_t least_;
  std::uint32_t most_;
  std::uint32_t target_;
  std::uint32_t finished_ = 0;
  instant window_{}; ///< when the count began
};

} // namespace inbox
