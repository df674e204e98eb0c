#include <atomic>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "inbox/actors/service.hpp"
#include "inbox/actors/signal_watch.hpp"

#include "commands/served_queues.hpp"
#include "inspector.hpp"
#include "program/handler.hpp"

namespace inboxctl {

using inbox::errc;
using inbox::expected;
using namespace std::chrono_literals;

namespace {

struct serve_options {
  std::vector<std::string> queues;
  bool until_empty = false;
  bool wait = false;
  serve_overrides instead;
};

constexpr auto example
  = "The program gets the payload on its standard input and the rest in its\n"
    "environment (INBOX_ID, INBOX_ATTEMPT, INBOX_HEADERS, ...). Exit code 0\n"
    "means done, 75 try again, 65 drop; a line \"retry_after 30s\" on file\n"
    "descriptor 3 delays a 75.\n"
    "Example:\n"
    "  inboxctl serve emails --workers 4 --exec ./send-mail --quiet";

/// How often an idle `--until-empty` looks whether it is done.
constexpr auto look_every = 200ms;
/// How often `--until-empty` says how far it is.
constexpr auto tell_every = 5s;

std::uint64_t ended(const inbox::queue_snapshot& q) {
  return q.acked + q.dropped + q.dead_lettered;
}

std::string summary(const inbox::queue_snapshot& q) {
  return fmt::format("{}: {} acked, {} retried, {} dropped, {} dead-lettered, "
                     "{} in work",
                     q.name, q.acked, q.retried, q.dropped, q.dead_lettered,
                     q.in_work);
}

/// One run of `serve`, from the start to the last settlement.
class serving {
public:
  serving(const workspace& work, std::vector<served_queue> queues,
          const serve_options& how, const reporter& tell)
    : work_{work},
      queues_{std::move(queues)},
      how_{how},
      tell_{tell},
      service_{work.pool, {.log = tell.sink(), .wait_for_database = how.wait}},
      signals_{[this](int count) { on_signal(count); }} {}

  expected<exit_code> run(const std::shared_ptr<spawner>& spawns) {
    if (auto complete = complete_descriptions(); !complete)
      return not_started(complete.error());
    for (const auto& q : queues_)
      declare(q, spawns);
    if (auto started = service_.start(); !started)
      return not_started(started.error());
    for (const auto& q : queues_)
      tell_.say(fmt::format("serving {} ({}, {} worker{})", q.queue.name,
                            to_string(q.queue.description.kind()),
                            q.queue.settings.workers,
                            q.queue.settings.workers == 1 ? "" : "s"));
    wait_for_end();
    if (auto stopped = service_.stop(); !stopped)
      return tl::unexpected{std::move(stopped.error())};
    return signals_seen_ > 1 ? exit_code::failed : exit_code::success;
  }

private:
  void declare(const served_queue& q, const std::shared_ptr<spawner>& spawns) {
    if (q.queue.settings.batch > 1)
      service_.serve(q.queue,
                     program_batch_handler(q.handles, spawns, tell_.sink()));
    else
      service_.serve(q.queue, program_handler(q.handles, spawns, tell_.sink()));
  }

  void on_signal(int count) {
    signals_seen_ = count;
    tell_.log({inbox::log_level::info,
               count > 1 ? "stopping at once" : "stopping",
               {}});
    service_.drain(count > 1);
  }

  /// A stop that was asked for while the start still waited is no failure.
  expected<exit_code> not_started(const inbox::failure& why) const {
    if (signals_seen_ == 1 && why.code() == errc::connect)
      return exit_code::success;
    for (const auto& q : queues_)
      if (q.queue.name == why.subscription())
        return tl::unexpected{explain(why, q.queue)};
    return tl::unexpected{why};
  }

  /// Asks the database for the columns that the configuration leaves out.
  expected<void> complete_descriptions() {
    if (!serves_whole_tables(work_))
      return {};
    while (true) {
      auto read = read_whole_tables(work_, queues_);
      const bool again = !read && read.error().code() == errc::connect
                         && how_.wait && signals_seen_ == 0;
      if (!again)
        return read;
      service_.wait(500ms);
    }
  }

  void wait_for_end() {
    auto next_word = std::chrono::steady_clock::now() + tell_every;
    while (!service_.wait(look_every)) {
      if (!how_.until_empty || signals_seen_ > 0)
        continue;
      if (is_empty())
        service_.drain();
      if (std::chrono::steady_clock::now() < next_word)
        continue;
      next_word += tell_every;
      tell_progress();
    }
    if (signals_seen_ == 0)
      for (const auto& q : service_.snapshot().queues)
        tell_.log({inbox::log_level::info, summary(q), {}});
  }

  /// True when no row of any queue is claimable or held. A database that does
  /// not answer is no empty one.
  bool is_empty() {
    for (const auto& q : service_.snapshot().queues)
      if (q.in_work > 0)
        return false;
    bool found = false;
    const auto looked = service_.with_session(
      [&](inbox::connection& through) -> expected<void> {
        for (const auto& q : queues_) {
          const auto has_work = inspector::make(work_.database().speaks(),
                                                q.queue)
                                  .and_then([&](const inspector& in) {
                                    return in.has_work(through);
                                  });
          if (!has_work)
            return tl::unexpected{has_work.error()};
          found = found || *has_work;
        }
        return {};
      });
    return looked && !found;
  }

  void tell_progress() {
    std::uint64_t rows = 0;
    const auto seen = service_.snapshot();
    for (const auto& q : seen.queues)
      rows += ended(q);
    if (std::exchange(told_, rows) == rows)
      return;
    for (const auto& q : seen.queues)
      tell_.say(summary(q));
  }

  const workspace& work_;
  std::vector<served_queue> queues_;
  const serve_options& how_;
  const reporter& tell_;
  std::atomic<int> signals_seen_{0};
  std::uint64_t told_ = 0; ///< rows ended when progress was told last
  inbox::service service_;
  inbox::actors::signal_watch signals_; ///< Last: it calls the service.
};

expected<exit_code> serve(const serve_options& how, const surroundings& with) {
  const auto work = open_workspace(with, how.queues);
  if (!work)
    return tl::unexpected{work.error()};
  auto queues = prepare_queues(*work, how.instead);
  if (!queues)
    return tl::unexpected{std::move(queues.error())};
  const auto spawns = make_spawner();
  if (!spawns)
    return tl::unexpected{spawns.error()};
  return serving{*work, std::move(*queues), how, with.tell}.run(*spawns);
}

} // namespace

void add_serve(CLI::App& to, action& chosen,
               const std::optional<std::vector<std::string>>& rest) {
  auto how = std::make_shared<serve_options>();
  how->instead.exec = rest;
  auto* command = to.add_subcommand("serve",
                                    "Run a program for each row that is due");
  command->add_option("QUEUE", how->queues,
                      "Queues; all of them without a name");
  command->add_flag("--until-empty", how->until_empty,
                    "End when no row is claimable or held by anybody");
  command->add_flag("--wait", how->wait,
                    "Wait for a database that cannot be reached at the start");
  command
    ->add_option("--workers", how->instead.workers,
                 "Programs at once, instead of the configuration's")
    ->type_name("N")
    ->check(CLI::PositiveNumber);
  // Shown by --help alone: the line is split at it before it is parsed.
  command
    ->add_option("--exec",
                 "Run this program; takes the rest of the command line")
    ->type_name("PROGRAM ARG...");
  command->footer(example);
  command->callback([how, &chosen] {
    chosen = [how](const surroundings& with) { return serve(*how, with); };
  });
}

} // namespace inboxctl
