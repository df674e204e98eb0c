#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inbox/delivery.hpp"

namespace inbox {

/// The deliveries a subscription holds, from the claim until the row's
/// settlement is written, and which of them starts when. Not thread-safe;
/// kept by the supervisor alone.
///
/// Deliveries start in claim order, with two exceptions. A row that is in work
/// already and was claimed again waits until the first delivery ends (C-133).
/// A row that came back without this process having retried it is suspected of
/// having killed a process: when its turn comes, the rows waiting beside it
/// are given back first, and until it has run for `watch` or ended nothing
/// else starts and nothing is claimed, so that its crashes do not take its
/// neighbours to the cap. Rows that run already go on.
///
/// A delivery handed to the workers counts as running, though it may still
/// wait in their line; `put_back` takes it out of there again.
class in_work {
public:
  using instant = std::chrono::steady_clock::time_point;

  struct settings {
    /// How long a suspect runs alone; zero where a crash counts no attempt
    /// (the row lock form), and nothing is suspected then.
    duration watch = 250ms;
    /// Rows that surely run at once when they are handed over: a suspect
    /// waits until fewer than these run.
    std::uint32_t workers = 1;
    /// Rows this process retried that it remembers.
    std::size_t remembered = 4096;
  };

  struct step {
    enum class kind : std::uint8_t {
      start,     ///< Hand it to the workers, or settle it unrun.
      give_back, ///< Settle it with `give_back`; `finish` it when written.
    };
    kind what;
    delivery_number number;

    friend bool operator==(const step&, const step&) = default;
  };

  /// How a delivery ended, as far as its next one is concerned.
  enum class ending : std::uint8_t {
    gone,    ///< Finished, given back, lost or unknown.
    retried, ///< Back in the queue because its handler's outcome said so.
  };

  explicit in_work(settings s) : settings_{s} {}

  /// A claimed row, in claim order.
  void add(shared_delivery d);

  /// A row that runs already: its worker claimed it on a permit.
  void add_running(shared_delivery d);

  /// What to do now, when the workers take `room` more; every step is taken.
  std::vector<step> next(std::uint32_t room, instant now);

  /// The workers had not started it and gave it back; it waits again, in its
  /// place. One that does not run is ignored.
  void put_back(delivery_number number);

  /// The newest `count` of those that wait will not run: give each back and
  /// `finish` it when that is written.
  std::vector<delivery_number> give_back_newest(std::size_t count);

  /// When `next` will have something although nothing was reported.
  std::optional<instant> next_due() const noexcept;

  /// False while no row should be claimed, so that a suspect stays alone.
  bool may_claim() const noexcept {
    return !draining_ && !clearing_ && !watched_;
  }

  /// A delivery's settlement is written, or will never be. In any state; one
  /// that is not held is ignored.
  void finish(delivery_number number, ending how);

  /// From now on nothing starts; all that waits is given back.
  void on_drain() noexcept { draining_ = true; }

  /// True while it neither runs nor leaves.
  bool is_waiting(delivery_number number) const noexcept;

  /// Null when it is not held.
  shared_delivery find(delivery_number number) const noexcept;

  std::size_t waiting() const noexcept { return waiting_.size(); }
  /// Of those, the rows that wait for an earlier delivery of their id.
  std::size_t blocked() const;
  std::size_t running() const noexcept { return running_; }
  std::size_t size() const noexcept { return held_.size(); }

private:
  enum class state : std::uint8_t { waiting, running, leaving };
  struct entry {
    shared_delivery row;
    state is = state::waiting;
  };
  using held_rows = std::pmr::unordered_map<delivery_number, entry>;

  bool is_suspect(const delivery& d) const;
  void start(held_rows::iterator at, std::vector<step>& steps);
  void leave(held_rows::iterator at);
  /// Gives back all that waits but `stays`; none stays for 0.
  void give_back_but(delivery_number stays, std::vector<step>& steps);
  void start_alone(delivery_number suspect, instant now,
                   std::vector<step>& steps);
  void remember(const delivery& d);

  settings settings_;
  std::pmr::unsynchronized_pool_resource nodes_; ///< a node a row, reused
  held_rows held_{&nodes_};
  std::deque<delivery_number> waiting_;
  /// Rows running or leaving, by id; the views are into `held_`.
  std::pmr::unordered_map<value_view, delivery_number, value_hash> busy_{
    &nodes_};
  std::size_t running_ = 0;
  std::size_t leaving_ = 0;
  /// What a row retried here will report next, by id.
  std::unordered_map<value, std::uint64_t, value_hash> retried_;
  std::deque<value> retried_order_;
  std::optional<delivery_number> watched_;
  instant watch_ends_{};
  bool clearing_ = false; ///< rows are given back for a suspect's sake
  bool draining_ = false;
};

} // namespace inbox
