#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "inbox/handler.hpp"

namespace inbox::actors {

struct turn;

/// How one handler call ended.
struct call_end {
  delivery_number delivery = 0;
  handled answer;
  /// Why the handler had been asked to end, if it was.
  stop_reason asked = stop_reason::none;
  /// What its worker did about it, if it had the permit; it stands for all
  /// rows of the call then.
  std::shared_ptr<turn> turned{};
};

/// Ends of handler calls on their way from threads that are no actors to the
/// supervisor, until it is closed: one that comes later is dropped, since its
/// row has been given back. Those that gather while the supervisor is busy
/// come to it together. Any thread.
class call_ends {
public:
  /// @param nudge called when there is something to take; must not call back.
  explicit call_ends(std::function<void()> nudge) : nudge_{std::move(nudge)} {}

  void put(call_end end);

  /// Takes what is in `ends`, and leaves it empty.
  /// @param enough nudge once so many have gathered.
  void put(std::vector<call_end>& ends, std::size_t enough = 1);

  /// Whether there is something to take.
  bool has_any() const;

  /// What has come since the last call, in place of what is in `into`.
  void take(std::vector<call_end>& into);

  /// Nothing passes after this returns; drops the nudge and what it holds.
  /// What came before can still be taken.
  void close();

private:
  mutable std::mutex mutex_;
  std::function<void()> nudge_;
  bool nudged_ = false; ///< since they were taken last
  std::vector<call_end> ends_;
};

} // namespace inbox::actors
