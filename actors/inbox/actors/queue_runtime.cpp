#include "inbox/actors/queue_runtime.hpp"

#include <algorithm>

#include "inbox/actors/actor_crew.hpp"
#include "inbox/actors/leaseholder.hpp"
#include "inbox/actors/row_lock_keeper.hpp"
#include "inbox/actors/settler.hpp"
#include "inbox/actors/thread_crew.hpp"

namespace inbox::actors {

namespace {

claimer_settings claiming(const queue_settings& settings,
                          std::shared_ptr<queue_counters> counters,
                          std::uint32_t most, std::uint32_t allowed) {
  const auto& of = settings.statements->of();
  claimer_settings c;
  c.queue = of.name;
  c.loop.poll_interval = of.settings.poll_interval;
  c.loop.most = std::max(most, 1U);
  c.loop.allowed = std::max(allowed, 1U);
  c.marks = settings.statements->has_marked_claims();
  c.log = settings.log;
  c.counters = std::move(counters);
  return c;
}

template <class Actor>
caf::actor untyped(const Actor& a) {
  return caf::actor_cast<caf::actor>(a);
}

} // namespace

queue_runtime::queue_runtime(caf::actor_system& sys, queue_settings settings,
                             session_pool pool)
  : statements_{settings.statements},
    counters_{std::make_shared<queue_counters>()},
    numbers_{std::make_shared<delivery_numbers>(0)} {
  supervisor_ = spawn_supervisor(sys, {statements_, settings.grace,
                                       settings.log, counters_, settings.on_end,
                                       settings.on_stop, numbers_});
  if (statements_->description().kind() == form::lease)
    spawn_lease(sys, settings, pool);
  else
    spawn_row_lock(sys, settings, pool);
  calls_ = std::make_shared<call_ends>(
    [to = supervisor_] { tell_anonymously(to, calls_ended{}); });
  crew_ = make_crew(sys, settings);
  tell_anonymously(supervisor_, begin{{claimer_, keeper_}, crew_, calls_});
}

void queue_runtime::spawn_lease(caf::actor_system& sys,
                                const queue_settings& settings,
                                const session_pool& pool) {
  // Where one session writes, a trip waits in it for the one before.
  settler_settings how{statements_, settings.clock, settings.log};
  how.sessions = settings.one_writer ? 1 : 2;
  how.trips_on_session = settings.one_writer ? 2 : 1;
  const auto settle = spawn_settler(sys, std::move(how), pool, supervisor_);
  const auto lease = spawn_leaseholder(sys, {statements_, 1000, counters_},
                                       pool, settle, supervisor_);
  keeper_ = caf::actor_cast<holder>(lease);
  claimer_ = spawn_claimer(
    sys, claiming(settings, counters_, of().settings.prefetch, 2),
    caf::actor_cast<claim_carrier>(settle));
  others_ = {untyped(settle), untyped(lease)};
}

void queue_runtime::spawn_row_lock(caf::actor_system& sys,
                                   const queue_settings& settings,
                                   const session_pool& pool) {
  const auto keeper = spawn_row_lock_keeper(sys, statements_, pool,
                                            supervisor_);
  keeper_ = caf::actor_cast<holder>(keeper);
  // A claim for each free worker; the pool keeps its last session.
  claimer_ = spawn_claimer(
    sys,
    claiming(settings, counters_, of().settings.batch, of().settings.workers),
    caf::actor_cast<claim_carrier>(keeper));
  others_ = {untyped(keeper)};
}

std::shared_ptr<crew> queue_runtime::make_crew(caf::actor_system& sys,
                                               const queue_settings& settings) {
  const auto& how = of().settings;
  if (const auto* target = std::get_if<caf::actor>(&settings.target))
    return make_actor_crew(sys, *target, how.workers, how.timeout, calls_);
  const auto call = std::holds_alternative<handler>(settings.target)
                      ? thread_crew::call{std::get<handler>(settings.target)}
                      : std::get<batch_handler>(settings.target);
  thread_crew::settings threads{how.workers, how.batch};
  if (statements_->description().kind() == form::row_lock) {
    // The rows of one transaction end together, so they are worked on
    // together, and by the thread that called for them.
    threads.of_one_claim = true;
    threads.by = std::make_shared<const turns>(turns::settings{
      statements_, settings.clock, numbers_, statements_->has_marked_claims()});
  }
  return std::make_shared<thread_crew>(call, std::move(threads), calls_);
}

queue_runtime::~queue_runtime() {
  calls_->close();
  others_.push_back(untyped(claimer_));
  others_.push_back(untyped(supervisor_));
  for (const auto& a : others_)
    caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  crew_->close();
}

void queue_runtime::wake() const {
  tell_anonymously(claimer_, actors::wake{});
}

waker queue_runtime::wakes() const {
  return [to = claimer_](duration after) {
    if (after > duration::zero())
      tell_anonymously_after(to, after, actors::wake{});
    else
      tell_anonymously(to, actors::wake{});
  };
}

queue_snapshot queue_runtime::snapshot() const {
  queue_snapshot s;
  s.name = of().name;
  s.claimed = counters_->claimed;
  s.acked = counters_->acked;
  s.retried = counters_->retried;
  s.dropped = counters_->dropped;
  s.dead_lettered = counters_->dead_lettered;
  s.given_back = counters_->given_back;
  s.lost = counters_->lost;
  s.failed = counters_->failed;
  s.undecodable = counters_->undecodable;
  s.claims = counters_->claims;
  s.empty_claims = counters_->empty_claims;
  s.failed_claims = counters_->failed_claims;
  s.in_work = counters_->in_work;
  s.held = counters_->held;
  s.extension_lateness = duration{counters_->extension_lateness_us};
  return s;
}

} // namespace inbox::actors
