#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "inbox/actors/protocol.hpp"

namespace inbox::actors {

/// The handler calls of a queue: which worker is idle, which delivery runs
/// where since when, and how to ask it to end. Kept by the supervisor alone.
class handler_calls {
public:
  struct call {
    std::uint32_t worker = 0;
    std::shared_ptr<stop_signal> signal;
    instant since;
  };

  void set_workers(std::uint32_t count) {
    workers_ = count;
    for (std::uint32_t n = 0; n < count; ++n)
      idle_.push_back(n);
  }

  std::uint32_t workers() const { return workers_; }
  std::uint32_t idle() const {
    return static_cast<std::uint32_t>(idle_.size());
  }
  std::size_t running() const { return running_.size(); }

  /// Takes an idle worker for a delivery. @pre `idle()` is not 0.
  const call& start(delivery_number d, instant now) {
    const auto worker = idle_.back();
    idle_.pop_back();
    return running_[d] = {worker, std::make_shared<stop_signal>(), now};
  }

  /// A call ended. @returns why it had been asked to, or nothing when it was
  /// abandoned before.
  std::optional<stop_reason> end(delivery_number d) {
    const auto ended = running_.extract(d);
    if (ended.empty())
      return std::nullopt;
    idle_.push_back(ended.mapped().worker);
    return ended.mapped().signal->why();
  }

  /// Asks one call to end. @returns false when it does not run.
  bool stop(delivery_number d, stop_reason why) {
    const auto found = running_.find(d);
    if (found == running_.end())
      return false;
    found->second.signal->request(why);
    return true;
  }

  void stop_all(stop_reason why) {
    for (const auto& [d, c] : running_)
      c.signal->request(why);
  }

  /// Asks those that began at `begun` or before to end.
  void stop_older(instant begun, stop_reason why) {
    for (const auto& [d, c] : running_)
      if (c.since <= begun)
        c.signal->request(why);
  }

  /// Leaves every call to itself; its worker is not used again.
  std::vector<delivery_number> abandon() {
    std::vector<delivery_number> all;
    for (const auto& [d, c] : std::exchange(running_, {}))
      all.push_back(d);
    return all;
  }

private:
  std::uint32_t workers_ = 0;
  std::vector<std::uint32_t> idle_;
  std::map<delivery_number, call> running_;
};

} // namespace inbox::actors
