#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inbox/handler.hpp"

namespace inbox {

/// One row of a batch: its value, and what becomes of it. It starts as
/// `ack`; the last word counts.
template <class T>
class batch_item {
public:
  batch_item(const delivery& d, std::shared_ptr<const stop_signal> signal,
             T value)
    : about_{d, std::move(signal)},
      value_(std::move(value)) {} // braces would make an array of JSON

  const T& value() const noexcept { return value_; }
  /// Its id, attempt, group, headers and columns.
  const context& about() const noexcept { return about_; }

  void settle(outcome answer) noexcept { answer_ = answer; }
  void ack() noexcept { settle(inbox::ack()); }
  void retry() noexcept { settle(inbox::retry()); }
  void retry_after(duration delay) noexcept {
    settle(inbox::retry_after(delay));
  }
  void drop() noexcept { settle(inbox::drop()); }
  outcome answer() const noexcept { return answer_; }

private:
  context about_;
  T value_;
  outcome answer_ = inbox::ack();
};

/// The rows of one handler call, in claim order, those that decode. Lent until
/// the handler returns.
template <class T>
class batch {
public:
  using item = batch_item<T>;

  batch(std::vector<item> items, std::shared_ptr<const stop_signal> signal)
    : items_{std::move(items)}, signal_{std::move(signal)} {}

  auto begin() noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }
  std::size_t size() const noexcept { return items_.size(); }
  item& operator[](std::size_t at) { return items_.at(at); }

  /// Set when the handler should end; `why` tells the reason.
  std::stop_token stopping() const noexcept { return signal_->token(); }
  stop_reason why() const noexcept { return signal_->why(); }

private:
  std::vector<item> items_;
  std::shared_ptr<const stop_signal> signal_;
};

} // namespace inbox
