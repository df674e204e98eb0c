#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "inbox/error.hpp"
#include "inbox/outcome.hpp"
#include "inbox/time.hpp"

namespace inbox {

/// How long a failing delivery waits before it is tried again: `first`, then
/// `factor` times longer each time, at most `cap`, each shortened or
/// lengthened by up to `jitter` of itself but never beyond the cap.
struct backoff {
  duration first = 1s;
  double factor = 2.0;
  duration cap = 10min;
  double jitter = 0.1; ///< 0 to 1

  /// The wait after the `attempt`-th delivery (1 or more).
  /// @param random a number in [0, 1) that places the jitter.
  /// Never negative, never above `cap`, for every attempt (B28).
  duration delay(std::uint64_t attempt, double random) const noexcept;

  friend bool operator==(const backoff&, const backoff&) = default;
};

/// What becomes of a row when its handler fails or its columns do not decode.
struct failure_policy {
  enum class kind : std::uint8_t {
    retry,       ///< Back at once; for `on_failure` after the backoff.
    retry_after, ///< Back after `delay`.
    drop,        ///< Finished as `drop` does.
    skip,        ///< Finished as `ack` does; "ack" in a configuration.
    stop,        ///< Left unsettled; the service stops and reports why.
  };

  kind what = kind::drop;
  duration delay{};            ///< of `retry_after`
  std::optional<backoff> wait; ///< of `retry`; without it, at once

  /// The outcome this policy settles a row with; nothing for `stop`.
  /// @param attempt as the delivery reports it; 1 where the table counts none.
  std::optional<outcome> decide(std::uint64_t attempt, double random) const;

  friend bool operator==(const failure_policy&, const failure_policy&)
    = default;
};

/// "retry", "retry_after:10m", "drop", "ack", "stop".
expected<failure_policy> parse_policy(std::string_view text);

/// The one word for services that prefer to stop at the first failure.
inline constexpr failure_policy fail_fast{failure_policy::kind::stop, {}, {}};

} // namespace inbox
