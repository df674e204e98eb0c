#pragma once

#include <cstdint>

#include "inbox/trip.hpp"

namespace inbox {

/// Decides when to claim and how much. The caller reports what happened, then
/// follows `next()` until it says `none`. Not thread-safe.
///
/// Invariants: at most `allowed` claims are in flight, one while the queue is
/// quiet; the limits in flight never exceed the credit; at most one timer is
/// armed; a wake that arrives during a claim is answered by another claim; a
/// failed claim is followed by the pause, whatever else happens (C-115).
class claim_loop {
public:
  enum class step : std::uint8_t {
    none,  ///< Wait for the next event.
    claim, ///< Send `order()`.
    sleep, ///< Arm the timer for `wait_time()`; it replaces an armed one.
    stop,  ///< Nothing is in flight and nothing will be; said once.
  };

  struct settings {
    duration poll_interval = 1s;
    duration pause = 1s;       ///< after a failed claim
    std::uint32_t most = 100;  ///< rows of one claim
    std::uint32_t allowed = 1; ///< claims in flight
  };

  explicit claim_loop(settings s) noexcept : settings_{s} { allow(s.allowed); }

  void on_credit(std::uint32_t freed) noexcept;
  /// Rows may have become due: by an insert, or by a retry of our own.
  void on_wake() noexcept;
  /// The timer armed last has fired; one it replaced must not report.
  void on_timer() noexcept;
  /// @param asked the limit the claim really had, at most the order's.
  void on_claimed(const claim_order& order, std::uint32_t asked,
                  std::uint32_t rows) noexcept;
  void on_failed(const claim_order& order) noexcept;
  /// A claim came back that somebody else made with credit of his own.
  /// @param is_full it got all the rows it asked for, so there may be more.
  void on_other_claimed(bool is_full) noexcept;
  void on_other_failed() noexcept;
  void on_drain() noexcept;
  /// While held nothing is claimed; what is in flight and the timers go on.
  void hold(bool held) noexcept { held_ = held; }
  /// How many claims may be in flight from now on; at least 1.
  void allow(std::uint32_t claims) noexcept;

  step next() noexcept;
  const claim_order& order() const noexcept { return order_; }
  duration wait_time() const noexcept { return wait_time_; }
  std::uint32_t credit() const noexcept { return credit_; }

private:
  enum class mood : std::uint8_t {
    greedy,  ///< The last claim came back full: there is more.
    probing, ///< One claim finds out whether there is anything (B44).
    quiet,   ///< Nothing there; waits for the timer or a wake.
    paused,  ///< A claim failed; waits for the timer alone.
  };

  void begin_claim() noexcept;
  void end_claim(const claim_order& order, std::uint32_t rows) noexcept;
  step stop_once() noexcept;

  settings settings_;
  claim_order order_;
  duration wait_time_{};
  std::uint64_t claims_ = 0; ///< numbered so far
  std::uint32_t credit_ = 0; ///< handlers free and not promised to a claim
  std::uint32_t owed_ = 0;   ///< rows taken beyond a claim's limit
  std::uint32_t in_flight_ = 0;
  mood mood_ = mood::probing;
  bool woken_ = false;
  bool arm_ = false; ///< the timer has to be armed
  bool held_ = false;
  bool draining_ = false;
  bool stopped_ = false; ///< and said so
};

} // namespace inbox
