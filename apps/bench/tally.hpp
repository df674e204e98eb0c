#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "inbox/time.hpp"

namespace bench {

/// Counts how often each of the rows 1..n was handled. Any thread.
class tally {
public:
  /// @param on_first called once, by the thread that marks the first row.
  explicit tally(std::size_t rows, std::function<void()> on_first = {})
    : times_(rows + 1), on_first_{std::move(on_first)} {}

  /// A row was handled.
  void mark(std::int64_t id) {
    auto& times = times_.at(static_cast<std::size_t>(id));
    if (times.fetch_add(1, std::memory_order_relaxed) != 0) {
      repeated_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const auto before = handled_.fetch_add(1, std::memory_order_relaxed);
    if (before == 0 && on_first_)
      on_first_();
    if (before + 1 == rows())
      finish();
  }

  std::size_t rows() const noexcept { return times_.size() - 1; }
  /// Rows handled at least once.
  std::size_t handled() const noexcept { return handled_; }
  /// Calls for a row that had been handled before.
  std::size_t repeated() const noexcept { return repeated_; }

  /// Waits until every row was handled.
  /// @returns false when `at_most` has passed.
  bool wait_for_all(inbox::duration at_most) {
    std::unique_lock guard{mutex_};
    return all_.wait_for(guard, at_most, [&] { return is_finished_; });
  }

private:
  void finish() {
    const std::scoped_lock guard{mutex_};
    is_finished_ = true;
    all_.notify_all();
  }

  std::vector<std::atomic<std::uint8_t>> times_;
  std::function<void()> on_first_;
  std::atomic<std::size_t> handled_ = 0;
  std::atomic<std::size_t> repeated_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
  bool is_finished_ = false;
};

} // namespace bench
