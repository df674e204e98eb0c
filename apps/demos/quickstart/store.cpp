#include "store.hpp"

#include <cmath>

#include <fmt/format.h>

namespace quickstart {

namespace {

constexpr auto tables = R"(
  CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL,
    due TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempt INTEGER NOT NULL DEFAULT 1,
    locked_until TEXT);
  CREATE INDEX tasks_due ON tasks (due);
  CREATE TABLE dead_tasks (
    id INTEGER PRIMARY KEY, path BLOB, due TEXT, attempt INTEGER,
    locked_until TEXT);

  CREATE TABLE files_seen (task INTEGER PRIMARY KEY, path BLOB, bytes INTEGER);
  CREATE TABLE digests (
    task INTEGER PRIMARY KEY, bytes INTEGER, sha256 TEXT, gzip_bytes INTEGER,
    seconds REAL, done_at REAL, times INTEGER NOT NULL DEFAULT 1);
  CREATE TABLE failures (task INTEGER PRIMARY KEY, reason TEXT, times INTEGER);

  -- Written by the database itself, whoever removes a task: one line each.
  CREATE TABLE settlements (
    id INTEGER, token TEXT, deliveries INTEGER, at TEXT);
  CREATE TRIGGER audit AFTER DELETE ON tasks BEGIN
    INSERT INTO settlements VALUES (
      old.id, old.locked_until, old.attempt - 1,
      strftime('%Y-%m-%d %H:%M:%f', 'now'));
  END;

  CREATE TABLE runs (pid INTEGER, started_at REAL, ended_at REAL);
  CREATE TABLE in_work_when_killed (id INTEGER PRIMARY KEY);
)";

void set_up(SQLite::Database& store) {
  store.setBusyTimeout(20'000);
  // A digest is on disk no later than the acknowledgement of its task, which
  // the library writes to the same log with a full sync.
  store.exec("PRAGMA synchronous = NORMAL");
}

} // namespace

SQLite::Database open_store(const std::string& path) {
  SQLite::Database store{path, SQLite::OPEN_READWRITE};
  set_up(store);
  return store;
}

SQLite::Database create_store(const std::string& path) {
  SQLite::Database store{path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  set_up(store);
  store.exec("PRAGMA journal_mode = WAL");
  store.exec(tables);
  return store;
}

std::int64_t number(SQLite::Database& in, const std::string& query) {
  return in.execAndGet(query).getInt64();
}

std::string grouped(std::int64_t n) {
  auto digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0;
       at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

} // namespace quickstart
