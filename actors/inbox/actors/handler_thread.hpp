#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "inbox/handler.hpp"

namespace inbox::actors {

/// Lets results in from threads that are no actors, until it is closed. A
/// result that comes later is dropped: its row has been given back. Any
/// thread.
class gate {
public:
  using sink
    = std::function<void(std::uint32_t worker, delivery_number, handled)>;

  explicit gate(sink to) : to_{std::move(to)} {}

  void let_in(std::uint32_t worker, delivery_number d, handled answer);

  /// Nothing passes after this returns; drops the sink and what it holds.
  void close();

private:
  std::mutex mutex_;
  sink to_;
};

/// One thread of the service's own that runs handler calls, one at a time, so
/// that no user code runs on a CAF thread. A thread whose handler never
/// returns is left to itself when this is destroyed; it keeps what it needs.
class handler_thread {
public:
  handler_thread(handler call, std::shared_ptr<gate> out, std::uint32_t worker);
  ~handler_thread();
  handler_thread(handler_thread&&) noexcept = default;

  /// Queues a call. Any thread.
  void run(delivery d, std::shared_ptr<stop_signal> signal);

private:
  struct shared;
  std::shared_ptr<shared> shared_;
  std::thread thread_;
};

} // namespace inbox::actors
