#include "inbox/actors/thread_crew.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "inbox/actors/thread_crew_state.hpp"

namespace inbox::actors {

namespace {

/// A call as long as this is worth waking a thread for.
constexpr duration not_quick = 100us;

} // namespace

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
  const auto is_over = [](const worker_place& p) { return p.over; };
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

void thread_crew::lend(delivery_number first, const permit& with) {
  const std::lock_guard lock{shared_->mutex};
  shared_->lent[first] = with;
}

void thread_crew::revoke() {
  const std::lock_guard lock{shared_->mutex};
  shared_->revoke();
}

std::uint32_t thread_crew::pace(duration within) const {
  const std::lock_guard lock{shared_->mutex};
  const auto calls = within / std::max(shared_->call_time, duration{1});
  return static_cast<std::uint32_t>(calls) * shared_->how.threads
         * shared_->how.batch;
}

bool thread_crew::gathers() const {
  const std::lock_guard lock{shared_->mutex};
  auto& s = *shared_;
  const bool is_busy = !s.line.empty() || s.taken != s.seen;
  s.watched = (s.is_quick() && is_busy) || s.out->has_any();
  return s.watched;
}

void thread_crew::help() {
  auto& s = *shared_;
  const std::lock_guard lock{s.mutex};
  if (std::exchange(s.seen, s.taken) != s.taken)
    return; // it goes on well
  s.call_time = std::max(s.call_time, not_quick);
  if (!s.line.empty() && s.idle > 0)
    s.changed.notify_one();
}

std::vector<delivery_number> thread_crew::take_back() {
  const std::lock_guard lock{shared_->mutex};
  std::vector<delivery_number> all;
  for (const auto& d : std::exchange(shared_->line, {}))
    all.push_back(d->number());
  shared_->lent.clear();
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
  shared_->request(why, [d](worker_place& p) { return p.stop(d); });
}

void thread_crew::stop_all(stop_reason why) {
  shared_->request(why, [](const worker_place&) { return true; });
}

void thread_crew::stop_older(instant begun, stop_reason why) {
  shared_->request(why,
                   [begun](const worker_place& p) { return p.since <= begun; });
}

std::vector<delivery_number> thread_crew::abandon() {
  const std::lock_guard lock{shared_->mutex};
  // A turn under way is no call; it ends with its connection's time-outs.
  shared_->revoke();
  std::vector<delivery_number> all;
  for (auto& p : shared_->places) {
    p.abandoned = !p.rows.empty();
    for (const auto& d : p.rows)
      all.push_back(d->number());
  }
  return all;
}

} // namespace inbox::actors
