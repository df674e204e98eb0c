#include "inbox/actors/service_body.hpp"

#include <algorithm>
#include <future>
#include <iostream>

namespace inbox {

namespace {

/// Time a stopping service gives its last settlements beyond the handlers'.
constexpr duration settle_margin = 10s;

/// Time closing sessions have before they are left to themselves.
constexpr duration close_margin = 5s;

void log_to_stderr(const log_entry& e) {
  if (e.level < log_level::warning)
    return;
  std::string line{to_string(e.level)};
  line += ": " + e.text;
  for (const auto& [name, what] : e.fields)
    line += " " + name + "=" + what;
  std::cerr << line + "\n";
}

/// A system of our own; sharing makes detached round trips several times
/// faster than the default policy and costs nothing while idle.
std::unique_ptr<caf::actor_system_config> own_config() {
  auto config = std::make_unique<caf::actor_system_config>();
  config->set("scheduler.policy", caf::atom("sharing"));
  config->set("scheduler.max-threads", size_t{1});
  return config;
}

} // namespace

service::body::body(caf::actor_system* host, pool over,
                    service_settings settings)
  : system_{host}, over_{std::move(over)}, settings_{std::move(settings)} {
  if (!system_) {
    own_config_ = own_config();
    own_system_ = std::make_unique<caf::actor_system>(*own_config_);
    system_ = own_system_.get();
  }
  if (!settings_.log)
    settings_.log = log_to_stderr;
  if (!settings_.clock)
    settings_.clock = host_now;
}

service::body::~body() {
  stop();
}

void service::body::declare(subscription queue, actors::handler_target target) {
  if (queue.settings.batch > 1
      && !std::holds_alternative<batch_handler>(target)) {
    keep_refusal(
      failure{errc::declaration,
              "batch is " + std::to_string(queue.settings.batch)
                + ", but the handler takes one row at a time: let it "
                  "take inbox::batch<T>&, or set batch to 1"}
        .in_subscription(queue.name)
        .on_table(queue.description.name().qualified()));
    return;
  }
  declared_.push_back({std::move(queue), std::move(target)});
}

void service::body::keep_refusal(failure why) {
  if (!refused_)
    refused_ = std::move(why);
}

expected<void> service::body::start() {
  if (pool_)
    return refuse(errc::invalid_setting, "the service was started before");
  if (refused_)
    return tl::make_unexpected(*refused_);
  if (!over_.to)
    return tl::make_unexpected(over_.to.error());
  auto statements = build();
  if (!statements)
    return tl::make_unexpected(statements.error());
  auto queues = announced(*statements);
  if (!queues)
    return tl::make_unexpected(queues.error());
  open_pool();
  if (auto good = check(*statements); !good) {
    close_pool();
    return good;
  }
  tell_notes();
  spawn(*statements);
  listen(std::move(*queues));
  return {};
}

expected<actors::wake_list> service::body::announced(
  const std::vector<shared_statements>& statements) const {
  actors::wake_list queues;
  if (!over_.listen_notify)
    return queues;
  for (const auto& s : statements) {
    auto channel = (*over_.to)->speaks().channel(s->description());
    if (!channel)
      return tl::make_unexpected(
        std::move(channel.error()).in_subscription(s->of().name));
    const bool grouped = s->description().has(column_role::group);
    queues.add(std::move(*channel),
               grouped ? std::optional{s->of().group()} : std::nullopt);
  }
  return queues;
}

/// Out of the lock, since it may wait for the connection's end.
void service::body::stop_listening() {
  std::unique_ptr<actors::notifier> ended; // destroyed after the lock
  const std::lock_guard lock{mutex_};
  std::swap(ended, notifier_);
}

void service::body::listen(actors::wake_list queues) {
  if (queues.size() == 0)
    return;
  const std::lock_guard lock{mutex_};
  actors::notifier_settings how{
    *over_.to, std::move(queues), {}, settings_.log};
  for (const auto& q : running_)
    how.wake.push_back(q->wakes());
  notifier_ = std::make_unique<actors::notifier>(*system_, std::move(how));
}

/// Once, and only for a start that succeeds: a refusal stands alone.
void service::body::tell_notes() const {
  auto notes = pool_counters_->notes();
  notes.insert(notes.end(), notes_.begin(), notes_.end());
  for (const auto& note : notes)
    settings_.log(
      {log_level::warning, note, {{"database", (*over_.to)->description()}}});
}

expected<std::vector<shared_statements>> service::body::build() const {
  std::vector<shared_statements> all;
  for (const auto& d : declared_) {
    if (auto unique = actors::check_unique(all, d.queue); !unique)
      return tl::make_unexpected(unique.error());
    auto built = actors::build_statements((*over_.to)->speaks(), d.queue);
    if (!built)
      return tl::make_unexpected(built.error());
    all.push_back(*built);
  }
  return all;
}

void service::body::open_pool() {
  actors::session_pool_settings s;
  s.database = *over_.to;
  s.book.size = std::max(over_.size, 2U);
  s.book.one_writer = s.database->has_one_writer();
  s.log = settings_.log;
  s.make_session = [sys = system_,
                    clock = settings_.clock](actors::session_place place,
                                             std::shared_ptr<connection> on) {
    return actors::spawn_session(*sys, std::move(place), std::move(on), clock);
  };
  pool_counters_ = s.counters;
  pool_ = actors::spawn_session_pool(*system_, std::move(s));
}

expected<void>
service::body::check(const std::vector<shared_statements>& statements) {
  while (true) {
    auto checked = with_session(
      [&](connection& on) -> expected<void> {
        auto report = actors::check_on(on, (*over_.to)->speaks(), statements,
                                       settings_.clock);
        if (!report)
          return tl::make_unexpected(report.error());
        skew_ = report->clock_skew;
        notes_ = std::move(report->notes);
        return {};
      },
      60s);
    const bool wait = !checked && checked.error().code() == errc::connect
                      && settings_.wait_for_database;
    if (!wait)
      return checked;
    if (end_->wait(500ms, true))
      return checked;
  }
}

void service::body::spawn(const std::vector<shared_statements>& statements) {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < statements.size(); ++i) {
    actors::queue_settings q;
    q.statements = statements[i];
    q.target = declared_[i].target;
    q.clock = settings_.clock;
    q.log = settings_.log;
    q.grace = settings_.drain_grace;
    q.one_writer = (*over_.to)->has_one_writer();
    q.on_end = [end = end_](std::optional<failure> why) {
      end->on_queue_end(std::move(why));
    };
    q.on_stop = [end = end_] { end->drain(false); };
    running_.push_back(
      std::make_unique<actors::queue_runtime>(*system_, std::move(q), pool_));
    end_->add(running_.back()->supervised_by());
  }
}

void service::body::drain(bool at_once) {
  end_->drain(at_once);
}

expected<void> service::body::stop() {
  if (!pool_)
    return {};
  end_->drain(false);
  duration longest{};
  for (const auto& q : running_)
    longest = std::max(longest, q->of().settings.drain_timeout);
  if (!end_->wait(longest + settings_.drain_grace + settle_margin, false))
    settings_.log({log_level::warning,
                   "settlements did not end in time; their rows come back by "
                   "lease or rollback",
                   {}});
  end_->forget();
  {
    const std::lock_guard lock{mutex_};
    running_.clear();
  }
  stop_listening();
  close_pool();
  if (auto why = end_->stopped_by())
    return tl::make_unexpected(std::move(*why));
  return {};
}

void service::body::close_pool() {
  actors::tell_anonymously(pool_, actors::close_pool{});
  pool_ = nullptr;
  if (!pool_counters_->live->wait_for_none(close_margin))
    settings_.log({log_level::warning,
                   "sessions did not close in time; they are left behind",
                   {}});
}

void service::body::wake(std::string_view queue) const {
  const std::lock_guard lock{mutex_};
  for (const auto& q : running_)
    if (queue.empty() || q->of().name == queue)
      q->wake();
}

expected<void>
service::body::with_session(std::function<expected<void>(connection&)> work,
                            duration at_most) {
  if (!pool_)
    return refuse(errc::closed, "the service is not running");
  auto promised = std::make_shared<std::promise<expected<void>>>();
  auto answer = promised->get_future();
  // Whoever gives up first wins: a job that starts late must not run, since
  // what it refers to may be gone.
  auto decided = std::make_shared<std::atomic<bool>>(false);
  actors::session_job job = [work = std::move(work), promised,
                             decided](connection* on, const failure* why) {
    if (decided->exchange(true))
      return;
    promised->set_value(on ? work(*on)
                           : expected<void>{tl::make_unexpected(*why)});
  };
  actors::tell_anonymously(pool_, actors::do_job{std::move(job)});
  if (answer.wait_for(at_most) == std::future_status::timeout
      && !decided->exchange(true))
    return refuse(errc::no_session, "no session of the pool came free within "
                                      + to_string(at_most)
                                      + "; give the pool more sessions");
  return answer.get();
}

service_snapshot service::body::snapshot() const {
  service_snapshot s;
  const std::lock_guard lock{mutex_};
  for (const auto& q : running_)
    s.queues.push_back(q->snapshot());
  if (pool_counters_) {
    s.sessions_open = pool_counters_->open;
    s.sessions_lost = pool_counters_->lost;
  }
  s.clock_skew = skew_;
  s.listener_connected = notifier_ && notifier_->is_connected();
  return s;
}

} // namespace inbox
