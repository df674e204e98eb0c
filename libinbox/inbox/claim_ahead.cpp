#include "inbox/claim_ahead.hpp"

#include <algorithm>

namespace inbox {

namespace {

constexpr duration window = 100ms;

} // namespace

claim_ahead::claim_ahead(std::uint32_t workers, std::uint32_t prefetch) noexcept
  : workers_{std::max(workers, 1u)},
    most_{std::max(prefetch, workers_)},
    target_{workers_} {}

void claim_ahead::on_finished(std::uint32_t count, instant now) noexcept {
  finished_ += count;
  const auto passed = now - window_;
  if (passed < window) {
    // Twice the target before the window ends: no need to see the rest.
    if (finished_ / 2 >= target_)
      begin(std::min<std::uint64_t>(std::uint64_t{target_} * 2, most_), now);
    return;
  }
  const auto share = std::chrono::duration<double>{window}
                     / std::chrono::duration<double>{passed};
  const auto in_window = static_cast<std::uint64_t>(finished_ * share);
  const auto wanted = std::clamp<std::uint64_t>(in_window, workers_, most_);
  begin(std::min(wanted, std::uint64_t{target_} * 2), now);
}

void claim_ahead::begin(std::uint64_t target, instant now) noexcept {
  target_ = static_cast<std::uint32_t>(target);
  finished_ = 0;
  window_ = now;
}

} // namespace inbox
