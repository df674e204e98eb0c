#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "inbox/handler.hpp"

namespace inbox::test {

/// One handler call as a test saw it.
struct call {
  std::int64_t id = 0;
  std::uint64_t attempt = 0; ///< as the context reports it
  bool counted = false;      ///< whether the delivery reports one
  std::string group;
  std::string payload;
  time_point at; ///< when it began
};

/// What a test's handlers were called with. Any thread.
class calls {
public:
  using answer = std::function<handled(const call&, context&)>;

  /// A handler that notes each call and then answers.
  handler answering(answer how) {
    return [this, how = std::move(how)](const delivery& d, context& ctx) {
      const call c{ctx.id().as_integer().value_or(-1),
                   ctx.attempt(),
                   d.attempt().has_value(),
                   std::string{ctx.group().as_text().value_or("")},
                   std::string{d.payload()},
                   host_now()};
      begin(c);
      auto said = how(c, ctx);
      end();
      return said;
    };
  }

  /// A handler that always answers the same.
  handler answering(outcome always) {
    return answering([always](const call&, context&) { return always; });
  }

  std::vector<call> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }
  std::size_t size() const { return all().size(); }
  std::size_t ended() const {
    const std::lock_guard lock{mutex_};
    return ended_;
  }
  std::vector<call> of(std::int64_t id) const {
    std::vector<call> some;
    for (auto& c : all())
      if (c.id == id)
        some.push_back(std::move(c));
    return some;
  }
  std::vector<std::int64_t> ids() const {
    std::vector<std::int64_t> some;
    for (const auto& c : all())
      some.push_back(c.id);
    return some;
  }
  /// The most calls that ran at one time.
  std::size_t most_at_once() const {
    const std::lock_guard lock{mutex_};
    return most_;
  }

private:
  void begin(const call& c) {
    const std::lock_guard lock{mutex_};
    all_.push_back(c);
    most_ = std::max(most_, all_.size() - ended_);
  }
  void end() {
    const std::lock_guard lock{mutex_};
    ++ended_;
  }

  mutable std::mutex mutex_;
  std::vector<call> all_;
  std::size_t ended_ = 0;
  std::size_t most_ = 0;
};

/// Holds handlers until the test opens it or they are asked to end. Outlives
/// the services whose handlers wait at it. Any thread.
class door {
public:
  /// @returns false when it was not opened.
  bool wait(const context& ctx) {
    std::unique_lock lock{mutex_};
    return opened_.wait_for(lock, ctx.stopping(), 60s,
                            [this] { return open_; });
  }
  /// The same for a handler that hears nothing.
  bool wait() {
    std::unique_lock lock{mutex_};
    return opened_.wait_for(lock, 60s, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    opened_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool open_ = false;
};

} // namespace inbox::test
