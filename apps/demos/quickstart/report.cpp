#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "store.hpp"

namespace quickstart {

namespace {

/// Rows that a process holds: their lease has not ended.
constexpr auto in_work = "SELECT id FROM tasks WHERE locked_until > "
                         "strftime('%Y-%m-%d %H:%M:%f', 'now')";

void heading(std::string_view text) {
  const auto style = ::isatty(STDOUT_FILENO) != 0 ? fmt::emphasis::bold
                                                  : fmt::text_style{};
  fmt::print("\n{}\n", fmt::format(style, "{}", text));
}

void line(std::string_view what, const std::string& value,
          std::string_view remark = {}) {
  fmt::print("  {:<38}{:>12}{}{}\n", what, value, remark.empty() ? "" : "   ",
             remark);
}

/// Statements that must hold for nothing to be lost, each with the number of
/// tasks that break it.
class proof {
public:
  explicit proof(SQLite::Database& store) : store_{store} {}

  void none(std::string_view what, const std::string& query) {
    const auto broken = number(store_, query);
    holds_ = holds_ && broken == 0;
    line(what, grouped(broken), broken == 0 ? "ok" : "FAILED");
  }

  bool holds() const { return holds_; }

private:
  SQLite::Database& store_;
  bool holds_ = true;
};

bool prove(SQLite::Database& store) {
  heading("Proof, read from the audit trigger");
  line("tasks enqueued",
       grouped(number(store, "SELECT count(*) FROM files_seen")));
  line("tasks settled, a line each",
       grouped(number(store, "SELECT count(*) FROM settlements")));
  proof p{store};
  p.none("lost: neither settled nor left",
         "SELECT count(*) FROM files_seen WHERE task NOT IN (SELECT id FROM "
         "settlements UNION ALL SELECT id FROM tasks)");
  p.none("still in the queue", "SELECT count(*) FROM tasks");
  p.none("settled more than once",
         "SELECT count(*) FROM (SELECT id FROM settlements GROUP BY id HAVING "
         "count(*) > 1)");
  p.none("settled without digest or dead letter",
         "SELECT count(*) FROM settlements WHERE id NOT IN (SELECT task FROM "
         "digests UNION ALL SELECT id FROM dead_tasks)");
  p.none("in work at the kill, not settled since",
         "SELECT count(*) FROM in_work_when_killed WHERE id NOT IN (SELECT id "
         "FROM settlements)");
  return p.holds();
}

void name_dead_letters(SQLite::Database& store) {
  heading("Dead letters");
  SQLite::Statement dead{store,
                         "SELECT path, reason, times FROM dead_tasks LEFT JOIN "
                         "failures ON task = id ORDER BY id LIMIT 20"};
  while (dead.executeStep())
    fmt::print("  {}\n    {}, after {} attempts\n",
               dead.getColumn(0).getString(), dead.getColumn(1).getString(),
               dead.getColumn(2).getInt());
}

void summarize(SQLite::Database& store) {
  const auto seconds
    = store
        .execAndGet("SELECT max(ended_at) - min(started_at) FROM runs")
        .getDouble();
  const auto settled = number(store, "SELECT count(*) FROM settlements");
  const auto bytes = number(store, "SELECT sum(bytes) FROM digests");
  const auto deliveries =
      number(store, "SELECT sum(deliveries) FROM settlements");
  heading("Summary");
  line("tasks", grouped(settled));
  line("bytes read", megabytes(bytes),
       fmt::format(
           "gzip makes {} of them",
           megabytes(number(store, "SELECT sum(gzip_bytes) FROM digests"))));
  line("time", fmt::format("{:.1f} s", seconds),
       "the wait for the killed process' leases included");
  line("throughput",
       fmt::format("{:.1f} MB/s", static_cast<double>(bytes) / 1e6 / seconds),
       fmt::format("{:.0f} tasks/s", static_cast<double>(settled) / seconds));
  line("in the best second",
       fmt::format(
           "{} tasks",
           grouped(number(store, "SELECT max(n) FROM (SELECT count(*) AS n "
                                 "FROM digests GROUP BY cast(done_at AS "
                                 "INTEGER))"))));
  line("attempts", grouped(deliveries),
       fmt::format("{} more than tasks", grouped(deliveries - settled)));
  line("restarts", grouped(number(store, "SELECT count(*) - 1 FROM runs")));
  const auto again
    = number(store, "SELECT count(*) FROM digests WHERE times > 1");
  line("rows given back by their lease",
       grouped(number(store, "SELECT count(*) FROM in_work_when_killed")),
       again == 0 ? "none had its digest yet"
                  : fmt::format("{} had a digest already, and still have one",
                                again));
}

void name_slowest(SQLite::Database& store) {
  heading("Ten slowest files");
  SQLite::Statement slow{
    store, "SELECT seconds, digests.bytes, path FROM digests JOIN files_seen "
           "USING (task) ORDER BY seconds DESC LIMIT 10"};
  while (slow.executeStep())
    fmt::print("  {:>7.1f} ms {:>10}   {}\n",
               slow.getColumn(0).getDouble() * 1000,
               megabytes(slow.getColumn(1).getInt64()),
               slow.getColumn(2).getString());
}

} // namespace

int percent(const std::string& path) {
  auto store = open_store(path);
  fmt::print("{}\n", number(store, "SELECT 100 * (SELECT count(*) FROM "
                                   "settlements) / (SELECT count(*) FROM "
                                   "files_seen)"));
  return 0;
}

int killed(const std::string& path) {
  auto store = open_store(path);
  store.exec(std::string{"INSERT OR IGNORE INTO in_work_when_killed "}
             + in_work);
  fmt::print("{}\n", store.getTotalChanges());
  return 0;
}

int report(const std::string& path) {
  auto store = open_store(path);
  const bool holds = prove(store);
  name_dead_letters(store);
  summarize(store);
  name_slowest(store);
  heading(holds ? "No task was lost, and each was settled exactly once."
                : "THE PROOF FAILED: see the lines marked FAILED.");
  return holds ? 0 : 1;
}

} // namespace quickstart
