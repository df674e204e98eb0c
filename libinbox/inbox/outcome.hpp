#pragma once

#include <cstdint>

#include "inbox/time.hpp"

namespace inbox {

/// What a handler says of a delivery; it decides the row's fate.
class outcome {
public:
  enum class kind : std::uint8_t {
    ack,         ///< Done: the row is deleted or marked.
    retry,       ///< Not done: back into the queue at once.
    retry_after, ///< Not done: back into the queue after `delay()`.
    drop,        ///< Never to be done: finished as `ack` finishes it.
  };

  /// A retry; for messages, whose elements start empty.
  constexpr outcome() noexcept : outcome{kind::retry} {}

  constexpr explicit outcome(kind what, duration delay = {}) noexcept
    : what_{what}, delay_{delay} {}

  constexpr kind what() const noexcept { return what_; }
  constexpr duration delay() const noexcept { return delay_; }

  friend bool operator==(const outcome&, const outcome&) = default;

  /// Lets an outcome cross nodes as a message.
  template <class Inspector>
  friend auto inspect(Inspector& f, outcome& o) {
    return f(o.what_, o.delay_);
  }

private:
  kind what_;
  duration delay_;
};

constexpr outcome ack() noexcept {
  return outcome{outcome::kind::ack};
}
constexpr outcome retry() noexcept {
  return outcome{outcome::kind::retry};
}
/// @param delay clamped to [0, max_delay].
constexpr outcome retry_after(duration delay) noexcept {
  return outcome{outcome::kind::retry_after, delay};
}
constexpr outcome drop() noexcept {
  return outcome{outcome::kind::drop};
}

} // namespace inbox
