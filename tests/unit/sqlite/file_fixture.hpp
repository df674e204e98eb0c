#pragma once

// A queue in an SQLite file of a temporary directory, for the tests of the
// session. Include after "inbox/test/unit.hpp".

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "inbox/sqlite/dialect.hpp"
#include "inbox/sqlite/pool.hpp"

namespace inbox::test {

/// A directory that goes with its owner.
class temporary_directory {
public:
  temporary_directory() {
    auto pattern
      = (std::filesystem::temp_directory_path() / "inbox-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      CAF_FAIL("no temporary directory");
    path_ = pattern;
  }
  temporary_directory(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(std::string_view name) const {
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

/// What was logged, safe to read after the calls that log.
struct remembered_log {
  std::vector<log_entry> entries;
  log_sink sink() {
    return [this](const log_entry& e) { entries.push_back(e); };
  }
};

/// Two queues' worth of statements on one table with every role a lease may
/// have, and a session on its file.
struct file_fixture {
  static constexpr auto schema = R"(
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, name TEXT,
      due TEXT DEFAULT CURRENT_TIMESTAMP, attempt INTEGER NOT NULL DEFAULT 1,
      locked_until TEXT, body BLOB);
    CREATE INDEX jobs_due ON jobs (name, due);)";

  temporary_directory folder;
  std::string path = folder.file("jobs.db");
  remembered_log log;
  sqlite::pool_settings pool_settings;
  time_point now = time_point{
    std::chrono::seconds{1'767'323'045}}; // 2026-01-02 03:04:05

  file_fixture() {
    std::ofstream{path};
    pool_settings.sessions = {1s, 2s, 100ms};
    pool_settings.log = log.sink();
    pool_settings.time_check = {};
    execute(*open(), schema);
  }

  std::unique_ptr<connection> unopened() const {
    const auto over = sqlite::pool(path, pool_settings);
    return unbox(over.to)->connect();
  }

  std::unique_ptr<connection> open() const {
    auto made = unopened();
    unbox(made->open());
    return made;
  }

  static execution execute(connection& on, std::string_view text,
                           std::vector<value> values = {}) {
    return unbox(on.execute(text, values));
  }

  /// The first column of the first row, as it is displayed.
  static std::string answer(connection& on, std::string_view text) {
    const auto rows = execute(on, text).rows;
    return rows->size() == 0 ? "no row" : rows->at(0, 0).to_display();
  }

  static table_spec jobs() {
    using role = column_role;
    table_spec spec;
    spec.name = "jobs";
    spec.columns = {{"id", role::id},
                    {"name", role::group},
                    {"due", role::retry_after},
                    {"attempt", role::attempt},
                    {"locked_until", role::locked_until},
                    {"body", role::payload}};
    return spec;
  }

  static shared_statements statements(table_spec spec = jobs(),
                                      subscription_settings how = {}) {
    subscription s{"emails", unbox(table::make(std::move(spec))),
                   std::move(how)};
    return unbox(sqlite::dialect{}.build(s));
  }

  /// A due row of the queue, with its id as payload.
  void add(connection& on, std::int64_t id,
           value due = value{"2026-01-01 00:00:00"}) const {
    execute(on, "INSERT INTO jobs (id, name, due, body) VALUES (?, ?, ?, ?)",
            {value{id}, value{"emails"}, std::move(due),
             value::bytes(std::to_string(id))});
  }

  claimed_rows claim(connection& on, const shared_statements& with,
                     std::uint32_t limit = 10) const {
    trip request;
    request.statements = with;
    request.claim = claim_order{1, limit};
    auto result = on.run(request, now);
    if (!result.claim)
      CAF_FAIL("the claim got no answer");
    return unbox(std::move(*result.claim));
  }

  static std::vector<std::int64_t> ids(const claimed_rows& claimed) {
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < claimed.rows->size(); ++i)
      found.push_back(*claimed.rows->at(i, 0).as_integer());
    return found;
  }

  /// The end of the `index`-th row of a claim.
  static settlement end_of(const claimed_rows& claimed, std::size_t index,
                           event what = event::ack, duration delay = {}) {
    return {what, index + 1, value::copy_of(claimed.rows->at(index, 0)),
            token{*claimed.locked_until,
                  *claimed.rows->at(index, 3).as_integer() + 1},
            delay};
  }

  trip_result settle(connection& on, const shared_statements& with,
                     std::vector<settlement> ends) const {
    trip request;
    request.statements = with;
    request.settlements = std::move(ends);
    return on.run(request, now);
  }
};

using list = std::vector<std::int64_t>;
using how = settled::how;

} // namespace inbox::test
