#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "digest.hpp"
#include "inbox/actors/service.hpp"
#include "inbox/handler_adapt.hpp"
#include "inbox/sqlite/pool.hpp"
#include "store.hpp"
#include "task.hpp"

namespace quickstart {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::uint32_t attempts_at_most = 3;

bool on_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

/// What one handler thread keeps of the store: its own connection.
class results {
public:
  explicit results(const std::string& path)
    : store_{open_store(path)},
      digest_{store_, "INSERT INTO digests (task, bytes, sha256, gzip_bytes, "
                      "seconds, done_at) VALUES (?, ?, ?, ?, ?, "
                      "(julianday('now') - 2440587.5) * 86400) "
                      "ON CONFLICT (task) DO UPDATE SET times = times + 1, "
                      "sha256 = excluded.sha256"},
      failure_{store_, "INSERT INTO failures VALUES (?, ?, 1) ON CONFLICT "
                       "(task) DO UPDATE SET times = times + 1"} {}

  /// Idempotent: a task that is delivered twice leaves one digest.
  void keep(std::int64_t task, const digest& d, double seconds) {
    digest_.bind(1, task);
    digest_.bind(2, d.bytes);
    digest_.bind(3, d.sha256);
    digest_.bind(4, d.gzip_bytes);
    digest_.bind(5, seconds);
    run(digest_);
  }

  void keep_failure(std::int64_t task, const std::string& reason) {
    failure_.bind(1, task);
    failure_.bind(2, reason);
    run(failure_);
  }

private:
  static void run(SQLite::Statement& s) {
    s.exec();
    s.reset();
  }
  SQLite::Database store_;
  SQLite::Statement digest_;
  SQLite::Statement failure_;
};

/// The handler. An exception that leaves it is its failure: the task is tried
/// again after a backoff and moved to dead_tasks at the third attempt.
inbox::handler digesting(const std::string& store) {
  return inbox::adapt([store](std::string_view path, inbox::context& ctx) {
    thread_local results mine{store};
    const auto id = *ctx.id().as_integer();
    const std::string name{path};
    const auto began = clock::now();
    try {
      const auto d = digest_file(name);
      mine.keep(id, d,
                std::chrono::duration<double>{clock::now() - began}.count());
    } catch (const std::system_error& e) {
      fmt::print("{}  attempt {} of {} failed: {}: {}\n",
                 on_terminal() ? "\n" : "", ctx.attempt(), attempts_at_most,
                 name, e.code().message());
      mine.keep_failure(id, e.code().message());
      throw;
    }
    return inbox::ack();
  });
}

inbox::expected<inbox::subscription> queue() {
  return inbox::to_table<task>().map([](inbox::table tasks) {
    inbox::subscription q{"tasks", std::move(tasks), {}};
    q.settings.workers = 4;
    // Short, so that what a killed process held comes back soon.
    q.settings.lease = 3s;
    q.settings.poll_interval = 250ms;
    q.settings.max_attempts = attempts_at_most;
    q.settings.dead_letter = "dead_tasks";
    q.settings.on_failure.wait = inbox::backoff{.first = 1s, .cap = 2s};
    return q;
  });
}

/// One line that is written over on a terminal.
class progress {
public:
  explicit progress(SQLite::Database& store)
    : store_{store}, all_{number(store, "SELECT count(*) FROM files_seen")} {}

  /// @returns the tasks that are left.
  std::int64_t show() {
    const auto left = number(store_, "SELECT count(*) FROM tasks");
    const bool is_news = left != shown_;
    shown_ = left;
    if (is_news && (on_terminal_ || clock::now() >= next_line_))
      print(all_ - left);
    return left;
  }

private:
  void print(std::int64_t done) {
    constexpr std::int64_t width = 40;
    const auto filled
      = static_cast<std::size_t>(all_ == 0 ? 0 : done * width / all_);
    fmt::print("{}  [{:40}] {:>7} of {}{}", on_terminal_ ? "\r" : "",
               std::string(filled, '#'), grouped(done), grouped(all_),
               on_terminal_ ? "" : "\n");
    std::fflush(stdout);
    next_line_ = clock::now() + 1s;
  }

  SQLite::Database& store_;
  std::int64_t all_;
  std::int64_t shown_ = -1;
  bool on_terminal_ = on_terminal();
  clock::time_point next_line_{};
};

int refuse(const inbox::failure& why) {
  fmt::print(stderr, "\n  {}\n", why.to_string());
  return 1;
}

void note_run(SQLite::Database& store, const char* statement) {
  SQLite::Statement s{store, statement};
  s.bind(1, static_cast<std::int64_t>(::getpid()));
  s.exec();
}

} // namespace

int serve(const std::string& path) {
  auto store = open_store(path);
  note_run(store, "INSERT INTO runs VALUES (?, (julianday('now') - 2440587.5)"
                  " * 86400, NULL)");
  auto tasks = queue();
  if (!tasks)
    return refuse(tasks.error());
  // The failures are told by the handler itself.
  inbox::service_settings quiet;
  quiet.log = [](const inbox::log_entry& e) {
    if (e.level == inbox::log_level::error)
      fmt::print(stderr, "\n  {}\n", e.text);
  };
  inbox::service service{inbox::sqlite::pool(path, {.size = 3}), quiet};
  service.serve(*tasks, digesting(path));
  if (auto started = service.start(); !started)
    return refuse(started.error());
  progress line{store};
  while (line.show() > 0 && !service.wait(100ms))
    continue;
  auto stopped = service.stop();
  note_run(store, "UPDATE runs SET ended_at = (julianday('now') - 2440587.5)"
                  " * 86400 WHERE pid = ?");
  if (on_terminal())
    fmt::print("\n");
  return stopped ? 0 : refuse(stopped.error());
}

} // namespace quickstart
