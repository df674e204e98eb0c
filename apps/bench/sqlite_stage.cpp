#include "sqlite_stage.hpp"

#include <atomic>
#include <cstdlib>

#include "jobs.hpp"
#include "sqlite_file.hpp"

namespace bench {

namespace {

const std::string name{table_name};

std::atomic<synchronous> of_new_connections = synchronous::full;

/// A pragma that belongs to a connection and not to the file, given to those
/// of the library as well.
int set_synchronous(sqlite3* db, char**, const struct sqlite3_api_routines*) {
  const auto text = std::string{"PRAGMA synchronous = "}
                    + to_string(of_new_connections.load());
  return sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr);
}

std::string create_and_fill(std::size_t rows) {
  return "PRAGMA journal_mode = WAL; CREATE TABLE " + name
         + " (id INTEGER PRIMARY KEY, name TEXT NOT NULL, retry_after TEXT NOT "
           "NULL, attempt INTEGER NOT NULL DEFAULT 1, locked_until TEXT, "
           "payload BLOB NOT NULL); CREATE INDEX "
         + name + "_claim ON " + name
         + " (name, retry_after, id); WITH RECURSIVE number(n) AS (VALUES (1) "
           "UNION ALL SELECT n + 1 FROM number WHERE n < "
         + std::to_string(rows) + ") INSERT INTO " + name
         + " (id, name, retry_after, payload) SELECT n, '"
         + std::string{group_name}
         + "', strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour', (n / 1000.0) || "
           "' seconds'), CAST(printf('%.*c', "
         + std::to_string(payload_size)
         + ", 'x') AS BLOB) FROM number WHERE n <= " + std::to_string(rows)
         + "; ANALYZE; PRAGMA wal_checkpoint = "
           "TRUNCATE";
}

} // namespace

inbox::expected<std::shared_ptr<sqlite_stage>>
sqlite_stage::open(const std::filesystem::path& below, synchronous how) {
  auto pattern = (below / "inbox-bench-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return inbox::refuse(inbox::errc::connect,
                         "no folder can be made in \"" + below.string()
                           + "\"; name another one with --dir");
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(&set_synchronous));
  return std::shared_ptr<sqlite_stage>{new sqlite_stage{pattern, how}};
}

sqlite_stage::~sqlite_stage() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

inbox::expected<void> sqlite_stage::fill(std::size_t rows) {
  of_new_connections = how_;
  for (const auto* ending : {"", "-wal", "-shm"})
    std::filesystem::remove(file() + ending);
  return sqlite_file::open(file()).and_then(
    [&](sqlite_file on) { return on.run(create_and_fill(rows)); });
}

inbox::expected<std::size_t> sqlite_stage::left() {
  return sqlite_file::open(file())
    .and_then(
      [&](sqlite_file on) { return on.ask("SELECT count(*) FROM " + name); })
    .map([](const std::string& n) { return std::stoul(n); });
}

inbox::expected<facts> sqlite_stage::about() {
  return facts{{"server_version", sqlite3_libversion()},
               {"journal_mode", "WAL"},
               {"synchronous", "NORMAL or FULL, as the scenario's name says"},
               {"folder", folder_.parent_path().string()}};
}

} // namespace bench
