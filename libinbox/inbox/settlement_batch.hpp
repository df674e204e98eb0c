#pragma once

#include <deque>
#include <optional>

#include "inbox/trip.hpp"

namespace inbox {

/// Gathers what is to be written while earlier trips run and decides when the
/// next one leaves: at once when nothing is in flight, so that a lone
/// settlement waits for nothing. A claim joins the settlements that leave with
/// it, and leaves alone when none wait. Not thread-safe.
class settlement_batch {
public:
  struct settings {
    std::size_t most = 1000;     ///< settlements of one trip
    std::uint32_t in_flight = 2; ///< trips at once
  };

  explicit settlement_batch(settings s) noexcept : settings_{s} {}

  void add(settlement end);
  void add(std::vector<settlement> ends);
  void add_claim(claim_order order);
  /// A settlement whose outcome is unknown.
  void add_read_back(settlement end);

  /// The next trip without its statements; nothing while it has to wait.
  /// Counted as in flight from now on.
  std::optional<trip> next();

  /// A trip came back, however it went.
  void on_done() noexcept;

  /// True when `next` would give a trip.
  bool is_ready() const noexcept;

  /// True when the next trip would carry a settlement or a read-back.
  bool has_settlements() const noexcept {
    return !ends_.empty() || !read_backs_.empty();
  }

  /// True when the next trip would carry a claim.
  bool has_claims() const noexcept { return !claims_.empty(); }

  /// Takes out the claims that have not left; the service drains, or no
  /// session can be had.
  std::vector<claim_order> take_claims();

  /// Takes out what has not been settled; the service has closed.
  std::vector<settlement> take_settlements();

  /// Nothing waits and nothing is in flight.
  bool is_idle() const noexcept;

private:
  bool is_waiting() const noexcept;

  settings settings_;
  std::uint32_t in_flight_ = 0;
  std::vector<settlement> ends_;
  std::vector<settlement> read_backs_;
  std::deque<claim_order> claims_;
};

} // namespace inbox
