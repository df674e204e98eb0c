#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "inbox/sqlite/breaker.hpp"

namespace inbox::sqlite {

/// The writers of one database file in this process, in the order they came.
/// SQLite lets one write at a time and makes the others poll for their chance;
/// within a process they queue instead. Any thread.
class write_queue {
public:
  using instant = std::chrono::steady_clock::time_point;

  /// The queue of the file behind that path, shared by all its connections in
  /// this process; one of its own when there is no such file (in memory).
  static std::shared_ptr<write_queue> of(const char* path);

  /// Waits for this caller's turn.
  /// @returns false when `until` came first or `stop` was broken off.
  bool enter(instant until, const breaker& stop);

  /// Ends the turn.
  void leave() noexcept;

private:
  std::mutex mutex_;
  std::condition_variable moved_;
  std::deque<std::uint64_t> waiting_; ///< tickets; the first has its turn
  std::uint64_t tickets_ = 0;
};

/// One turn in a write queue; given up when destroyed.
class write_turn {
public:
  write_turn() = default;
  explicit write_turn(write_queue& in) noexcept : in_{&in} {}
  write_turn(write_turn&& other) noexcept
    : in_{std::exchange(other.in_, nullptr)} {}
  write_turn& operator=(write_turn&& other) noexcept {
    std::swap(in_, other.in_);
    return *this;
  }
  ~write_turn() {
    if (in_ != nullptr)
      in_->leave();
  }

private:
  write_queue* in_ = nullptr;
};

} // namespace inbox::sqlite
