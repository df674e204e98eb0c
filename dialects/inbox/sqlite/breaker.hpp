#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <sqlite3.h>

namespace inbox::sqlite {

/// Breaks off what a connection is doing, from any thread, at any time of the
/// connection's life: the lock keeps an interrupt and a close apart.
class breaker {
public:
  /// `db` may be interrupted from now on.
  void watch(sqlite3* db) noexcept {
    const std::lock_guard guard{mutex_};
    db_ = db;
  }

  /// Called before the connection closes.
  void forget() noexcept { watch(nullptr); }

  /// Ends the call under way and every later one.
  void break_off() noexcept {
    const std::lock_guard guard{mutex_};
    broken_ = true;
    if (db_ != nullptr)
      sqlite3_interrupt(db_);
    wake_.notify_all();
  }

  bool is_broken() const noexcept { return broken_; }

  /// Waits for that long, or until broken off. @returns `is_broken()`.
  bool wait(std::chrono::milliseconds how_long) {
    std::unique_lock guard{mutex_};
    return wake_.wait_for(guard, how_long, [this] { return is_broken(); });
  }

private:
  std::atomic<bool> broken_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  sqlite3* db_ = nullptr;
};

} // namespace inbox::sqlite
