#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "inbox/delivery.hpp"
#include "inbox/outcome.hpp"

namespace inbox {

/// Why a handler is asked to end early.
enum class stop_reason : std::uint8_t {
  none,
  draining,   ///< The service stops and its drain time-out has passed.
  lease_lost, ///< Another claim may hold the row; the outcome is ignored.
  timed_out,  ///< The handler's own time-out has passed.
};

/// Tells one handler call to end. Shared by the call and by who stops it; any
/// thread.
class stop_signal {
public:
  void request(stop_reason why) noexcept;
  stop_reason why() const noexcept { return why_.load(); }
  std::stop_token token() const noexcept { return source_.get_token(); }

private:
  std::stop_source source_;
  std::atomic<stop_reason> why_{stop_reason::none};
};

/// What a handler may ask about its delivery. Lent until the handler returns;
/// used by the handler's thread.
class context {
public:
  context(const delivery& d, std::shared_ptr<const stop_signal> signal)
    : delivery_{d}, signal_{std::move(signal)} {}

  /// Deliveries of this row so far, this one included; 1 where none is counted.
  std::uint64_t attempt() const noexcept {
    return delivery_.attempt().value_or(1);
  }
  value_view id() const noexcept { return delivery_.id(); }
  value_view group() const noexcept { return delivery_.group(); }
  value_view partition_key() const noexcept {
    return delivery_.partition_key();
  }
  expected<header_map> headers() const { return delivery_.headers(); }
  const row& columns() const noexcept { return delivery_.columns(); }

  /// Set when the handler should end; `why` tells the reason.
  std::stop_token stopping() const noexcept { return signal_->token(); }
  stop_reason why() const noexcept { return signal_->why(); }
  const stop_signal& signal() const noexcept { return *signal_; }

private:
  const delivery& delivery_;
  std::shared_ptr<const stop_signal> signal_;
};

/// What came of one handler call: an outcome, or the failure that policy
/// settles (`errc::undecodable` or `errc::handler_failed`).
using handled = expected<outcome>;

/// A handler of any kind behind one call. It blocks; never throws. Called on
/// the service's own threads, several at once. `adapt` (handler_adapt.hpp)
/// makes one from a function.
using handler = std::function<handled(const delivery&, context&)>;

/// The same for a handler that takes several deliveries in one call, in claim
/// order, and answers each at its place. `adapt` makes one from a function of
/// `inbox::batch<T>&` (batch.hpp).
struct batch_handler {
  using call_type = std::function<std::vector<handled>(
    std::span<const shared_delivery>,
    const std::shared_ptr<const stop_signal>&)>;
  call_type call;
};

} // namespace inbox
