#include "inbox/policy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace inbox {

duration backoff::delay(std::uint64_t attempt, double random) const noexcept {
  const auto most = static_cast<double>(
    std::clamp(cap, duration::zero(), max_delay).count());
  const auto begin = std::max(static_cast<double>(first.count()), 0.0);
  // In doubles, which grow to infinity instead of wrapping (B28); 0 times
  // infinity is no number and stands for 0.
  const auto exponent = static_cast<double>(attempt > 0 ? attempt - 1 : 0);
  const auto grown = begin * std::pow(std::max(factor, 1.0), exponent);
  const auto planned = begin > 0 ? std::min(grown, most) : 0.0;
  const auto spread = std::clamp(jitter, 0.0, 1.0)
                      * (2 * std::clamp(random, 0.0, 1.0) - 1);
  const auto placed = std::clamp(planned * (1 + spread), 0.0, most);
  return duration{static_cast<duration::rep>(placed)};
}

std::optional<outcome> failure_policy::decide(std::uint64_t attempt,
                                              double random) const {
  switch (what) {
    case kind::retry:
      return wait ? inbox::retry_after(wait->delay(attempt, random))
                  : inbox::retry();
    case kind::retry_after:
      return inbox::retry_after(delay);
    case kind::drop:
      return inbox::drop();
    case kind::skip:
      return inbox::ack();
    case kind::stop:
      break;
  }
  return std::nullopt;
}

expected<failure_policy> parse_policy(std::string_view text) {
  using enum failure_policy::kind;
  constexpr std::string_view delayed = "retry_after:";
  if (text == "retry")
    return failure_policy{retry, {}, {}};
  if (text == "drop")
    return failure_policy{drop, {}, {}};
  if (text == "ack")
    return failure_policy{skip, {}, {}};
  if (text == "stop")
    return fail_fast;
  if (!text.starts_with(delayed))
    return refuse(errc::invalid_setting,
                  "\"" + std::string{text}
                    + "\" is no policy; write retry, retry_after:DURATION "
                      "(as in retry_after:10m), drop, ack or stop");
  auto delay = parse_duration(text.substr(delayed.size()));
  if (!delay)
    return tl::make_unexpected(std::move(delay).error());
  return failure_policy{retry_after, *delay, {}};
}

} // namespace inbox
