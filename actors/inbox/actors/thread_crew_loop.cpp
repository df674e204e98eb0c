#include <algorithm>

#include "inbox/actors/thread_crew_state.hpp"

namespace inbox::actors {

namespace {

/// A call shorter than this costs less than waking somebody.
constexpr duration quick = 20us;

/// What waits is worth another thread when it takes longer than this.
constexpr duration worth_waking = 50us;

/// Ends of quick calls go to the supervisor together, as many as this holds.
constexpr duration gathering = 500us;

/// How long a permit is good for while others wait for a session.
constexpr duration fair_share = 50ms;

bool holds(const std::vector<shared_delivery>& rows, value_view id) {
  return std::ranges::any_of(rows,
                             [id](const auto& r) { return r->id() == id; });
}

} // namespace

bool worker_place::stop(delivery_number d) {
  const bool ours = std::ranges::any_of(
    rows, [d](const auto& r) { return r->number() == d; });
  return ours && ++stopped >= rows.size();
}

void thread_crew::shared::loop(std::size_t number) {
  auto& at = places[number];
  guard lock{mutex};
  while (wait(lock)) {
    take(at);
    do
      run(at, lock);
    while (turn_over(at, lock));
    // The end and the free place are seen together.
    at.rows.clear();
    at.with.reset();
    --busy;
    if (std::exchange(at.abandoned, false))
      at.ends.clear();
    out->put(at.ends, is_quick() && !line.empty() ? gathered() : 1);
  }
  at.over = true;
  changed.notify_all();
}

bool thread_crew::shared::is_quick() const {
  return call_time < quick;
}

std::size_t thread_crew::shared::gathered() const {
  return static_cast<std::size_t>(gathering / std::max(call_time, duration{1}));
}

bool thread_crew::shared::is_worth_waking() const {
  const auto calls = static_cast<std::int64_t>(line.size() / how.batch + 1);
  return idle > 0 && !line.empty() && calls * call_time > worth_waking;
}

/// A long call counts at once, short ones by and by.
void thread_crew::shared::note(std::chrono::steady_clock::duration took) {
  const auto last = std::chrono::duration_cast<duration>(took);
  call_time = last > call_time ? last : (3 * call_time + last) / 4;
}

bool thread_crew::shared::wait(guard& lock) {
  ++idle;
  changed.wait(lock, [this] { return ending || !line.empty(); });
  --idle;
  return !ending;
}

/// Whether the next row may be worked on with those in hand.
bool thread_crew::shared::joins(const worker_place& at) const {
  return !how.of_one_claim || at.rows.empty()
         || (!at.rows.back().owner_before(line.front())
             && !line.front().owner_before(at.rows.back()));
}

void thread_crew::shared::take(worker_place& at) {
  while (at.rows.size() < how.batch && !line.empty() && joins(at)) {
    at.rows.push_back(std::move(line.front()));
    line.pop_front();
  }
  ++busy;
  begin(at);
  if (const auto with = lent.extract(at.rows.front()->number())) {
    at.with = with.mapped();
    at.mark = {};
    at.lent_at = at.since;
  }
}

void thread_crew::shared::begin(worker_place& at) {
  ++taken;
  at.since = std::chrono::steady_clock::now();
  at.stopped = 0;
  // A signal that was used, or is kept by somebody, is not for this call.
  if (at.signal->why() != stop_reason::none || at.signal.use_count() > 1)
    at.signal = std::make_shared<stop_signal>();
}

void thread_crew::shared::run(worker_place& at, guard& lock) {
  const bool wake = is_worth_waking();
  lock.unlock();
  if (wake)
    changed.notify_one();
  call_handler(at);
  const auto ended = std::chrono::steady_clock::now();
  lock.lock();
  note(ended - at.since);
}

/// The place's rows and signal stay as they are while its call runs.
void thread_crew::shared::call_handler(worker_place& at) {
  if (const auto* one = std::get_if<handler>(&with)) {
    context about{*at.rows[0], at.signal};
    auto answer = (*one)(*at.rows[0], about);
    at.ends.push_back(
      {at.rows[0]->number(), std::move(answer), at.signal->why()});
    return;
  }
  auto answers = std::get<batch_handler>(with).call(at.rows, at.signal);
  answers.resize(at.rows.size(),
                 refuse(errc::handler_failed,
                        "the batch handler answered fewer rows than it got"));
  for (std::size_t i = 0; i < at.rows.size(); ++i)
    at.ends.push_back(
      {at.rows[i]->number(), std::move(answers[i]), at.signal->why()});
}

/// The call has to be the whole claim, since a transaction ends as one, and
/// nobody may have to wait longer for it than he would without a permit.
bool thread_crew::shared::may_turn(const worker_place& at) const {
  if (!at.with || !how.by || ending || !line.empty())
    return false;
  if (at.rows.size() != how.batch || at.with->rows != how.batch)
    return false;
  const bool waited_for = at.with->waiting && *at.with->waiting > 0;
  return !waited_for
         || std::chrono::steady_clock::now() - at.lent_at < fair_share;
}

/// Settles what was called for and claims the next, where a permit lets it.
/// @returns true when there are rows to call for.
bool thread_crew::shared::turn_over(worker_place& at, guard& lock) {
  auto ends = may_turn(at) ? how.by->finished(at.rows, at.ends) : std::nullopt;
  auto on = ends ? at.with->on.lock() : nullptr;
  if (!on)
    return false;
  at.settling = std::exchange(at.rows, {});
  const auto with = *at.with;
  lock.unlock();
  auto done = how.by->take(with, *on, std::move(*ends), at.mark);
  on.reset();
  lock.lock();
  at.settling.clear();
  // What failed is looked at before anybody claims on (C-115, C-132).
  if (!done->is_settled() || !done->claimed)
    revoke();
  if (!at.with || ending || is_in_work(done->next))
    done->next.clear();
  at.rows = done->next;
  if (!at.rows.empty())
    begin(at);
  at.ends.resize(1);
  at.ends.front().turned = std::move(done);
  const bool may_wait = watched && is_quick() && !at.rows.empty();
  out->put(at.ends, may_wait ? gathered() : 1);
  return !at.rows.empty();
}

/// Whether a row is with a worker already: its session may be lost, and the
/// row claimed again, while the handler still runs (C-133).
bool thread_crew::shared::is_in_work(
  const std::vector<shared_delivery>& rows) const {
  return std::ranges::any_of(rows, [this](const auto& r) {
    return std::ranges::any_of(places, [&](const worker_place& p) {
      return holds(p.rows, r->id()) || holds(p.settling, r->id());
    });
  });
}

void thread_crew::shared::revoke() {
  lent.clear();
  for (auto& p : places)
    p.with.reset();
}

} // namespace inbox::actors
