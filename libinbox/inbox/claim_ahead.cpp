#include "inbox/claim_ahead.hpp"

#include <algorithm>

namespace inbox {

namespace {

constexpr duration window = 100ms;

} // namespace

claim_ahead::claim_ahead(std::uint32_t least, std::uint32_t prefetch) noexcept
  : least_{std::max(least, 1u)},
    most_{std::max(prefetch, least_)},
    target_{least_} {}

void claim_ahead::on_finished(std::uint32_t count, instant now) noexcept {
  finished_ += count;
  const auto passed = now - window_;
  // Twice the target before the window ends: no need to see the rest.
  if (passed < window && finished_ / 2 < target_)
    return;
  const auto seen = std::max<std::chrono::duration<double>>(passed, 1us);
  const auto in_window = finished_
                         * (std::chrono::duration<double>{window} / seen);
  const auto wanted = std::clamp<double>(in_window, least_,
                                         static_cast<double>(most_));
  begin(
    std::min(static_cast<std::uint64_t>(wanted), std::uint64_t{target_} * 2),
    now);
}

void claim_ahead::begin(std::uint64_t target, instant now) noexcept {
  target_ = static_cast<std::uint32_t>(target);
  finished_ = 0;
  window_ = now;
}

} // namespace inbox
