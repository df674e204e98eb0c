#include "inbox/actors/thread_crew.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>

namespace inbox::actors {

namespace {

/// A call shorter than this costs less than waking somebody.
constexpr duration quick = 20us;

/// What waits is worth another thread when it takes longer than this.
constexpr duration worth_waking = 50us;

/// Ends of quick calls go to the supervisor together, as many as this holds.
constexpr duration gathering = 500us;

/// What a thread runs. Guarded by the crew's mutex.
struct place {
  /// @returns true when no row of the call is worth its while any more.
  bool stop(delivery_number d) {
    const bool ours = std::any_of(rows.begin(), rows.end(), [d](const auto& r) {
      return r->number() == d;
    });
    return ours && ++stopped >= rows.size();
  }

  std::vector<shared_delivery> rows; ///< empty while the thread is free
  std::vector<call_end> ends;        ///< the thread's own, while it runs
  std::size_t stopped = 0;           ///< rows not worth their while any more
  instant since{};
  std::shared_ptr<stop_signal> signal = std::make_shared<stop_signal>();
  bool over = false; ///< the thread has ended
};

} // namespace

/// What the threads and their owner share; a thread may outlive its owner.
struct thread_crew::shared {
  shared(call c, settings s, std::shared_ptr<call_ends> to)
    : with{std::move(c)}, how{s}, out{std::move(to)}, places(s.threads) {}

  call with;
  settings how;
  std::shared_ptr<call_ends> out;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<shared_delivery> line;
  std::vector<place> places;
  std::uint32_t idle = 0;  ///< threads that wait
  std::uint32_t busy = 0;  ///< threads that run a call
  duration call_time = 1s; ///< about, of late; nothing is known at first
  std::uint64_t taken = 0; ///< calls begun
  std::uint64_t seen = 0;  ///< of those, at the last `help`
  bool ending = false;

  void loop(std::size_t number) {
    auto& at = places[number];
    std::unique_lock lock{mutex};
    while (wait(lock)) {
      take(at);
      const bool wake = is_worth_waking();
      lock.unlock();
      if (wake)
        changed.notify_one();
      run(at);
      const auto ended = std::chrono::steady_clock::now();
      lock.lock();
      note(ended - at.since);
      // The end and the free place are seen together.
      at.rows.clear();
      --busy;
      out->put(at.ends, is_quick() && !line.empty() ? gathered() : 1);
    }
    at.over = true;
    changed.notify_all();
  }

  bool is_quick() const { return call_time < quick; }

  std::size_t gathered() const {
    return static_cast<std::size_t>(gathering
                                    / std::max(call_time, duration{1}));
  }

  bool is_worth_waking() const {
    const auto calls = static_cast<std::int64_t>(line.size() / how.batch + 1);
    return idle > 0 && !line.empty() && calls * call_time > worth_waking;
  }

  /// A long call counts at once, short ones by and by.
  void note(std::chrono::steady_clock::duration took) {
    const auto last = std::chrono::duration_cast<duration>(took);
    call_time = last > call_time ? last : (3 * call_time + last) / 4;
  }

  bool wait(std::unique_lock<std::mutex>& lock) {
    ++idle;
    changed.wait(lock, [this] { return ending || !line.empty(); });
    --idle;
    return !ending;
  }

  /// Whether the next row may be worked on with those in hand.
  bool joins(const place& at) const {
    return !how.of_one_claim || at.rows.empty()
           || (!at.rows.back().owner_before(line.front())
               && !line.front().owner_before(at.rows.back()));
  }

  void take(place& at) {
    while (at.rows.size() < how.batch && !line.empty() && joins(at)) {
      at.rows.push_back(std::move(line.front()));
      line.pop_front();
    }
    ++busy;
    ++taken;
    at.since = std::chrono::steady_clock::now();
    at.stopped = 0;
    // A signal that was used, or is kept by somebody, is not for this call.
    if (at.signal->why() != stop_reason::none || at.signal.use_count() > 1)
      at.signal = std::make_shared<stop_signal>();
  }

  /// The place's rows and signal stay as they are while its call runs.
  void run(place& at) {
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
};

thread_crew::thread_crew(call with, settings s, std::shared_ptr<call_ends> out)
  : shared_{std::make_shared<shared>(std::move(with), s, std::move(out))} {
  if (std::holds_alternative<handler>(shared_->with))
    shared_->how.batch = 1;
  for (std::size_t n = 0; n < s.threads; ++n)
    threads_.emplace_back([all = shared_, n] { all->loop(n); });
}

thread_crew::~thread_crew() {
  close();
}

void thread_crew::close() {
  std::unique_lock lock{shared_->mutex};
  shared_->ending = true;
  shared_->line.clear();
  shared_->changed.notify_all();
  // An idle thread ends at once; one in a handler is not waited for, since the
  // drain has waited already.
  const auto is_over = [](const place& p) { return p.over; };
  const auto& places = shared_->places;
  const bool all_over = shared_->changed.wait_for(
    lock, std::chrono::milliseconds{100},
    [&] { return std::all_of(places.begin(), places.end(), is_over); });
  for (std::size_t n = 0; n < threads_.size(); ++n)
    if (!places[n].over)
      threads_[n].detach();
  lock.unlock();
  for (auto& t : threads_)
    if (t.joinable())
      t.join();
  threads_.clear();
  if (all_over)
    shared_->with = handler{};
}

std::uint32_t thread_crew::room(std::uint32_t line) const {
  const std::lock_guard lock{shared_->mutex};
  const auto& how = shared_->how;
  const auto most = (how.threads - shared_->busy) * how.batch + line;
  const auto waiting = static_cast<std::uint32_t>(shared_->line.size());
  return most - std::min(most, waiting);
}

void thread_crew::run(std::vector<shared_delivery> rows) {
  {
    const std::lock_guard lock{shared_->mutex};
    std::move(rows.begin(), rows.end(), std::back_inserter(shared_->line));
  }
  shared_->changed.notify_one();
}

std::uint32_t thread_crew::pace(duration within) const {
  const std::lock_guard lock{shared_->mutex};
  const auto calls = within / std::max(shared_->call_time, duration{1});
  return static_cast<std::uint32_t>(calls) * shared_->how.threads
         * shared_->how.batch;
}

bool thread_crew::gathers() const {
  const std::lock_guard lock{shared_->mutex};
  return shared_->is_quick()
         && (!shared_->line.empty() || shared_->taken != shared_->seen);
}

void thread_crew::help() {
  auto& s = *shared_;
  const std::lock_guard lock{s.mutex};
  if (std::exchange(s.seen, s.taken) != s.taken)
    return; // it goes on well
  s.call_time = std::max(s.call_time, 2 * worth_waking);
  if (!s.line.empty() && s.idle > 0)
    s.changed.notify_one();
}

std::vector<delivery_number> thread_crew::take_back() {
  const std::lock_guard lock{shared_->mutex};
  std::vector<delivery_number> all;
  for (const auto& d : std::exchange(shared_->line, {}))
    all.push_back(d->number());
  return all;
}

std::uint32_t thread_crew::running() const {
  const std::lock_guard lock{shared_->mutex};
  std::size_t all = 0;
  for (const auto& p : shared_->places)
    all += p.rows.size();
  return static_cast<std::uint32_t>(all);
}

void thread_crew::stop(delivery_number d, stop_reason why) {
  shared_->request(why, [d](place& p) { return p.stop(d); });
}

void thread_crew::stop_all(stop_reason why) {
  shared_->request(why, [](const place&) { return true; });
}

void thread_crew::stop_older(instant begun, stop_reason why) {
  shared_->request(why, [begun](const place& p) { return p.since <= begun; });
}

std::vector<delivery_number> thread_crew::abandon() {
  const std::lock_guard lock{shared_->mutex};
  shared_->out->close();
  std::vector<delivery_number> all;
  for (const auto& p : shared_->places)
    for (const auto& d : p.rows)
      all.push_back(d->number());
  return all;
}

} // namespace inbox::actors
