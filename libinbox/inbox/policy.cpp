#include "inbox/policy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

/// As `std::clamp`, but what is no number counts as the lower bound.
double within(double x, double low, double high) noexcept {
  return x > low ? std::min(x, high) : low;
}

} // namespace

duration backoff::delay(std::uint64_t attempt, double random) const noexcept {
  // In doubles, which grow to infinity instead of wrapping (B28).
  const auto most = static_cast<double>(
    std::clamp(cap, duration::zero(), max_delay).count());
  const auto begin = within(static_cast<double>(first.count()), 0, most);
  const auto exponent = static_cast<double>(attempt > 0 ? attempt - 1 : 0);
  const auto growth = std::pow(std::max(1.0, factor), exponent);
  // Zero times infinity is no number; a backoff from zero stays there.
  const auto planned = within(begin * growth, 0, most);
  const auto spread = within(jitter, 0, 1) * (2 * within(random, 0, 1) - 1);
  return duration{
    static_cast<duration::rep>(within(planned * (1 + spread), 0, most))};
}

std::optional<outcome> failure_policy::decide(std::uint64_t attempt,
                                              double random) const {
  switch (what) {
    case kind::retry:
      return wait ? inbox::retry_after(wait->delay(attempt, random))
                  : inbox::retry();
    case kind::retry_after: return inbox::retry_after(delay);
    case kind::drop: return inbox::drop();
    case kind::skip: return inbox::ack();
    case kind::stop: break;
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
                  "\"" + to_printable(text, 40)
                    + "\" is no policy; write retry, retry_after:DURATION "
                      "(as in retry_after:10m), drop, ack or stop");
  auto delay = parse_duration(text.substr(delayed.size()));
  if (!delay)
    return tl::make_unexpected(std::move(delay).error());
  return failure_policy{retry_after, *delay, {}};
}

} // namespace inbox
