#pragma once

// What the threads of a crew and their owner share; the threads' side lies in
// thread_crew_loop.cpp, the owner's in thread_crew.cpp.

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "inbox/actors/thread_crew.hpp"

namespace inbox::actors {

/// What one thread runs. Guarded by the crew's mutex.
struct worker_place {
  /// @returns true when no row of the call is worth its while any more.
  bool stop(delivery_number d);

  std::vector<shared_delivery> rows; ///< of its call; empty while there is none
  std::vector<call_end> ends;        ///< the thread's own, while it runs
  std::size_t stopped = 0;           ///< rows not worth their while any more
  instant since{};
  std::shared_ptr<stop_signal> signal = std::make_shared<stop_signal>();
  std::optional<permit> with;            ///< with the rows
  permit_mark mark;                      ///< of its claims; the thread's own
  instant lent_at{};                     ///< when the permit came
  std::vector<shared_delivery> settling; ///< whose ends a turn writes
  bool abandoned = false; ///< the call's end is nobody's business any more
  bool over = false;      ///< the thread has ended
};

/// A thread may outlive its owner, and keeps this as long.
struct thread_crew::shared {
  shared(call c, settings s, std::shared_ptr<call_ends> to)
    : with{std::move(c)}, how{s}, out{std::move(to)}, places(s.threads) {}

  /// What a thread does from its start to its end.
  void loop(std::size_t number);

  bool is_quick() const;

  /// Takes back every permit.
  void revoke();

  /// Asks the calls that `which` picks to end; their callbacks run without
  /// the lock.
  template <class Which>
  void request(stop_reason why, Which which) {
    std::vector<std::shared_ptr<stop_signal>> asked;
    {
      const std::lock_guard lock{mutex};
      for (auto& p : places)
        if (!p.rows.empty() && which(p))
          asked.push_back(p.signal);
    }
    for (const auto& signal : asked)
      signal->request(why);
  }

  call with;
  settings how;
  std::shared_ptr<call_ends> out;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<shared_delivery> line;
  std::map<delivery_number, permit> lent; ///< for rows in the line
  std::vector<worker_place> places;
  std::uint32_t idle = 0;  ///< threads that wait
  std::uint32_t busy = 0;  ///< threads that run a call or take a turn
  duration call_time = 1s; ///< about, of late; nothing is known at first
  std::uint64_t taken = 0; ///< calls begun
  std::uint64_t seen = 0;  ///< of those, at the last `help`
  bool watched = false;    ///< the owner looks for ends a moment later
  bool ending = false;

private:
  using guard = std::unique_lock<std::mutex>;

  std::size_t gathered() const;
  bool is_worth_waking() const;
  void note(std::chrono::steady_clock::duration took);
  bool wait(guard& lock);
  bool joins(const worker_place& at) const;
  void take(worker_place& at);
  void begin(worker_place& at);
  void run(worker_place& at, guard& lock);
  void call_handler(worker_place& at);
  bool may_turn(const worker_place& at) const;
  bool turn_over(worker_place& at, guard& lock);
  bool is_in_work(const std::vector<shared_delivery>& rows) const;
};

} // namespace inbox::actors
