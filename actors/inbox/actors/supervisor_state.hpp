#pragma once

// The class behind the supervisor; its parts lie in supervisor.cpp (rows come
// and end) and supervisor_stop.cpp (time-outs, lost leases, the drain).

#include <map>
#include <random>

#include "inbox/actors/claim_credit.hpp"
#include "inbox/actors/delivery_log.hpp"
#include "inbox/actors/rows_aside.hpp"
#include "inbox/actors/supervisor.hpp"
#include "inbox/actors/wake_times.hpp"
#include "inbox/claim_ahead.hpp"
#include "inbox/conclusion.hpp"
#include "inbox/in_work.hpp"

namespace inbox::actors {

/// How long a row whose settlement failed stays aside.
constexpr duration aside_for = 1s;

class supervisor_state {
public:
  using interface_type = supervisor;
  static inline const char* name = "inbox.supervisor";

  explicit supervisor_state(supervisor::pointer self) : self_{self} {}

  supervisor::behavior_type start(supervisor_settings settings);

private:
  // -- rows come ----------------------------------------------------------

  void on_begin(begin& b);
  void on_arrived(arrived& a);
  void take_rows(arrived& a);

  /// Rows beyond the ceiling: the handlers became slow while claims were under
  /// way. They have a moment; then what is still beyond it goes back.
  std::size_t excess() const;
  void watch_ceiling();
  void give_back_excess();

  /// Starts what may start, gives back what has to go, asks for more.
  void advance();
  bool start_some();

  /// What the handlers finish while a claim is under way; at most the target.
  std::uint32_t soon() const;

  /// Keeps the rows in hand and on the way at the target, and as many beyond
  /// it as the handlers will have finished by then.
  void give_credit();

  /// Rows that run or may run next. Those set aside, and those that wait
  /// behind them, must not keep the rest of the queue out.
  std::size_t in_hand() const;

  // -- turns of workers ----------------------------------------------------

  /// A worker settled its rows and claimed the next; what it did not take is
  /// ours.
  void on_turn(turn& t);
  void note_turn(const turn& t);
  void run_on(const turn& t);

  /// The keeper hears of rows that were claimed on a permit once their ends
  /// are its to write.
  void hold_claimed(delivery_number d);

  /// Lends the permit a row came with, unless something else waits for its
  /// worker or its session.
  void lend_permit(delivery_number d);
  void revoke_permits();

  // -- rows end -----------------------------------------------------------

  void on_calls_ended();
  void collect();
  void on_end(const call_end& end);
  void conclude_delivery(const delivery& d, conclusion c);
  void finish_delivery(settlement end);
  void send_ends();
  void on_settled(const settled_rows& s);
  void note_settled(const settlement& end, const settled& result);

  /// A delayed retry that is due before the next poll gets a wake of its own.
  void wake_when_due(const settlement& end);
  void arm_wake();
  void wake_due();

  /// The row is still held here for a while, so a claim that takes it again
  /// does not start it sooner.
  void set_aside(delivery_number d);
  void take_up_aside();

  // -- handlers that take too long -----------------------------------------

  /// A running handler is told; a row that has not started never will. Its
  /// end changes nothing in the table, and takes it out of every book.
  void on_lost(const leases_lost& l);

  /// What the workers have not begun waits here again.
  void take_back();
  void watch_timeouts();
  void watch_quick_calls();
  void help_crew();
  void stop_timed_out();
  void on_timer(supervise s);

  // -- the end --------------------------------------------------------------

  void on_drain(drain_work d);
  void ask_to_end();

  /// The handlers that did not end are left to themselves; their rows go back.
  void abandon();
  void end_if_done();

  // -- small things ---------------------------------------------------------

  const subscription& of() const { return settings_.statements->of(); }
  bool is_lease() const { return of().description.kind() == form::lease; }
  instant now() const { return steady_now(self_); }
  double random() { return std::uniform_real_distribution<>{}(random_); }

  template <class Duration>
  void arm(supervise::stage what, Duration in) {
    const auto wait = std::chrono::duration_cast<duration>(in);
    tell_after(self_, supervisor{self_}, std::max(wait, duration{1ms}),
               supervise{what});
  }

  supervisor::pointer self_;
  supervisor_settings settings_;
  delivery_source source_;
  std::shared_ptr<crew> crew_;
  std::shared_ptr<call_ends> calls_;
  std::vector<call_end> ended_; ///< kept for its room
  std::vector<shared_delivery> starting_;
  std::optional<delivery_log> log_;
  std::optional<in_work> work_;
  std::optional<claim_ahead> ahead_;
  std::vector<settlement> ends_;              ///< to be sent to the keeper
  std::map<delivery_number, permit> permits_; ///< by a claim's first row
  /// Rows in work that were claimed on a permit, by its claim.
  std::map<std::uint64_t, std::vector<held_row>> claimed_;
  rows_aside aside_{aside_for};
  wake_times wakes_;
  std::size_t unsettled_ = 0; ///< ended and not written yet
  claim_credit credit_;
  std::uint32_t with_crew_ = 0; ///< deliveries the workers have
  std::uint32_t least_ = 1;     ///< rows that keep every worker busy
  bool watching_ = false;       ///< a timer is armed for `in_work`
  bool timing_ = false;         ///< a timer is armed for time-outs
  bool helping_ = false;        ///< a timer is armed for quick calls
  bool over_ = false;           ///< a timer is armed for the ceiling
  bool draining_ = false;
  bool asked_to_end_ = false;
  bool claimer_ended_ = false;
  std::optional<failure> stopped_by_;
  std::mt19937_64 random_{std::random_device{}()};
};

} // namespace inbox::actors
