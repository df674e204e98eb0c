// SIGKILL of `inboxctl serve` at seeded moments: no row is lost, and each is
// settled exactly once.
#define CAF_SUITE kill
#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "inbox/test/random.hpp"
#include "inbox/test/server.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

constexpr int kills = 20;
constexpr int least_in_work = 15;
constexpr int rows_a_round = 60;

using words = std::vector<std::string>;

/// Serves the stand's table by a handler of C++; `cap` deliveries at most. A
/// payload "boom" ends the process.
words serve_by_function(const stand& s, int cap = 0) {
  return {INBOX_KILL_VICTIM, std::string{to_string(s.where())}, s.address(),
          s.application(), std::to_string(cap)};
}

/// The same by `inboxctl serve` and a program, from a file that goes with
/// this.
class served_by_program {
public:
  explicit served_by_program(const stand& s)
    : file_{std::filesystem::temp_directory_path()
            / ("inbox_kill_" + std::to_string(::getpid()) + ".toml")} {
    std::ofstream{file_}
      << "[database]\nurl = \"" << s.address()
      << "\"\n[queue.emails]\ntable = \"" << s.name()
      << "\"\nworkers = 4\nprefetch = 20\npoll_interval = \"50ms\"\n"
      << (s.is_lease() ? "lease = \"1s\"\n" : "")
      << "exec = [\"sleep\", \"0.01\"]\n[queue.emails.columns]\n"
         "id = \"id\"\ngroup = \"name\"\nretry_after = \"retry_after\"\n"
         "attempt = \"attempt\"\nprocessed_at = \"processed_at\"\n"
         "payload = \"payload\"\n"
      << (s.is_lease() ? "locked_until = \"locked_until\"\n" : "");
  }
  ~served_by_program() { std::filesystem::remove(file_); }
  served_by_program(const served_by_program&) = delete;
  served_by_program& operator=(const served_by_program&) = delete;

  words command() const {
    return {INBOX_KILL_INBOXCTL, "--config", file_.string(), "--log-level",
            "warning",           "serve",    "emails"};
  }

private:
  std::filesystem::path file_;
};

/// A process that serves until it is ended.
class victim {
public:
  explicit victim(const words& command) {
    std::vector<char*> arguments;
    for (const auto& w : command)
      arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
  }
  ~victim() {
    if (pid_ > 0)
      kill();
  }
  victim(const victim&) = delete;
  victim& operator=(const victim&) = delete;
  void halt() const { ::kill(pid_, SIGSTOP); }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  /// Whether it ended; with the signal or code it ended by.
  bool has_ended() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_)
      pid_ = 0;
    return pid_ == 0;
  }
  bool was_aborted() const {
    return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGABRT;
  }
  /// @returns its exit code.
  int end() {
    ::kill(pid_, SIGTERM);
    ::waitpid(std::exchange(pid_, 0), &status_, 0);
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }

private:
  pid_t pid_ = 0;
  int status_ = 0;
};

void add_rows(stand& s, int rows, const std::string& payload = "") {
  s.db().run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
             "WHERE i < "
             + std::to_string(rows) + ") INSERT INTO " + s.name()
             + " (name, payload) SELECT 'emails', " + s.db().octets(payload)
             + " FROM n");
}

std::int64_t unprocessed(stand& s) {
  return s.db().count("SELECT count(*) FROM " + s.name()
                      + " WHERE processed_at IS NULL AND name = 'emails'");
}

/// Rows that somebody holds at this moment.
std::int64_t in_work(stand& s) {
  if (s.is_lease())
    return s.db().count("SELECT count(*) FROM " + s.name()
                        + " WHERE locked_until > "
                        + s.db().instant(host_now()));
  return s.db().count("SELECT (SELECT count(*) FROM " + s.name()
                      + " WHERE processed_at IS NULL) - (SELECT count(*) FROM "
                        "(SELECT id FROM "
                      + s.name()
                      + " WHERE processed_at IS NULL FOR UPDATE SKIP LOCKED) "
                        "free)");
}

/// Kills one process at a moment of the given delay after its first row.
/// @returns the rows in work at that moment.
std::int64_t kill_once(stand& s, const words& serve, duration after) {
  add_rows(s, rows_a_round);
  const auto before = s.settlements();
  victim v{serve};
  INBOX_UNTIL(s, s.settlements() > before);
  const auto moment = host_now() + after;
  INBOX_UNTIL(s, host_now() >= moment);
  // A lease outlives its holder, a row lock does not: there the process stops
  // first, so that what it has asked for ends and nothing new begins.
  if (!s.is_lease())
    v.halt();
  const auto held = s.is_lease() ? 0 : in_work(s);
  v.kill();
  return s.is_lease() ? in_work(s) : held;
}

void check_settled_once(stand& s, std::int64_t rows) {
  CAF_CHECK_EQUAL(s.count(), rows);
  CAF_CHECK_EQUAL(s.settlements(), rows);
  CAF_CHECK_EQUAL(
    s.db().count("SELECT count(DISTINCT id) FROM " + s.name("settlements")),
    rows);
}

void kill_often(cell where) {
  if (is_postgres(where) && !postgres_url())
    return;
  test::random seeded;
  stand s{where, {.processed_at = true}};
  const served_by_program with{s};
  int hits = 0;
  for (int i = 0; i < kills; ++i)
    hits += kill_once(s, with.command(), 1ms * seeded.below(100)) > 0;
  CAF_MESSAGE(hits << " of " << kills << " kills hit rows in work");
  CAF_CHECK(hits >= least_in_work);
  victim last{with.command()};
  INBOX_UNTIL(s, unprocessed(s) == 0);
  CAF_CHECK_EQUAL(last.end(), 0);
  check_settled_once(s, kills * rows_a_round);
}

/// A row that kills its process, among others.
void crash_by_row(cell where) {
  if (is_postgres(where) && !postgres_url())
    return;
  stand s{where, {.processed_at = true}};
  add_rows(s, 10);
  const auto boom = s.add({.payload = "boom"});
  add_rows(s, 10);
  int crashes = 0;
  std::optional<victim> v{std::in_place, serve_by_function(s, 3)};
  while (unprocessed(s) > 0 && crashes < 6) {
    INBOX_UNTIL(s, v->has_ended() || unprocessed(s) == 0);
    if (!v->has_ended())
      break;
    CAF_CHECK(v->was_aborted());
    ++crashes;
    v.emplace(serve_by_function(s, 3));
  }
  // Three deliveries end the process; the fourth claim moves the row unrun.
  CAF_CHECK_EQUAL(crashes, 3);
  CAF_CHECK(s.find(boom)->group == "dead");
  CAF_CHECK_EQUAL(s.settlements(), 20);
  CAF_CHECK_EQUAL(v->end(), 0);
}

/// One process is killed with the row in work, and another one follows.
void succeed(cell where) {
  stand s{where, {.processed_at = true}};
  const auto id = s.add();
  {
    victim v{serve_by_function(s)};
    INBOX_UNTIL(s, s.find(id)->locked_until.has_value());
    v.kill();
    if (s.find(id)->processed_at) // it was quicker
      return;
  }
  victim next{serve_by_function(s)};
  INBOX_UNTIL(s, s.find(id)->processed_at.has_value());
  CAF_CHECK(s.find(id)->attempt == 3); // the crash counted
  CAF_CHECK_EQUAL(s.settlements(id), 1);
}

} // namespace

CAF_TEST(kills lose no row and settle none twice: Postgres lease) {
  INBOX_GUARDED(kill_often(cell::postgres_lease))}

CAF_TEST(kills lose no row and settle none twice: Postgres row lock) {
  INBOX_GUARDED(kill_often(cell::postgres_row_lock))}

CAF_TEST(kills lose no row and settle none twice: SQLite lease) {
  INBOX_GUARDED(kill_often(cell::sqlite_lease))}

CAF_TEST(B26 a row outlives the process that held it: SQLite lease) {
  INBOX_GUARDED(succeed(cell::sqlite_lease))}

CAF_TEST(B27 a row that kills its process is dead-lettered: Postgres lease) {
  INBOX_GUARDED(crash_by_row(cell::postgres_lease))}

         CAF_TEST(B27 a row that kills its process is dead-lettered: SQLite lease) {
  INBOX_GUARDED(crash_by_row(cell::sqlite_lease))
}
