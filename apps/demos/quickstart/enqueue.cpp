#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "commands.hpp"
#include "store.hpp"
#include "task.hpp"

namespace quickstart {

namespace {

namespace fs = std::filesystem;

/// A task and the demo's own row about its file, in the same transaction: both
/// are there or neither is.
class producer {
public:
  explicit producer(SQLite::Database& store)
    : transaction_{store, SQLite::TransactionBehavior::IMMEDIATE},
      task_{store, std::string{inbox::insert_sql<task, inbox::sqlite_db>}},
      seen_{store, "INSERT INTO files_seen VALUES (?, ?, ?)"} {}

  void add(const std::string& path, std::int64_t bytes) {
    task_.bindNoCopy(1, path.data(), static_cast<int>(path.size()));
    task_.executeStep();
    seen_.bind(1, task_.getColumn(0).getInt64());
    seen_.bindNoCopy(2, path.data(), static_cast<int>(path.size()));
    seen_.bind(3, bytes);
    seen_.exec();
    seen_.reset();
    task_.reset();
    ++tasks_;
    bytes_ += bytes;
  }

  void commit() { transaction_.commit(); }
  std::int64_t tasks() const { return tasks_; }
  std::int64_t bytes() const { return bytes_; }

private:
  SQLite::Transaction transaction_;
  SQLite::Statement task_;
  SQLite::Statement seen_;
  std::int64_t tasks_ = 0;
  std::int64_t bytes_ = 0;
};

void add_regular_files(producer& to, const std::string& folder) {
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator{folder, options}) {
    std::error_code vanished;
    if (!entry.is_symlink() && entry.is_regular_file(vanished))
      to.add(entry.path().string(),
             static_cast<std::int64_t>(entry.file_size(vanished)));
  }
}

} // namespace

int enqueue(const std::string& store, const std::string& folder) {
  if (!fs::is_directory(folder)) {
    fmt::print(stderr, "\"{}\" is no folder; name one with files in it\n",
               folder);
    return 2;
  }
  auto db = create_store(store);
  producer tasks{db};
  add_regular_files(tasks, folder);
  const auto found = tasks.tasks();
  // root can read every file, so the unreadable one is made: it is there when
  // its task is written and gone when the task is worked on.
  const auto vanishing = store + ".vanishing.txt";
  std::ofstream{vanishing} << "gone before it is read\n";
  tasks.add(vanishing, static_cast<std::int64_t>(fs::file_size(vanishing)));
  tasks.commit();
  fs::remove(vanishing);
  if (found == 0) {
    fmt::print(stderr, "\"{}\" holds no regular file; name another folder\n",
               folder);
    return 2;
  }
  fmt::print("  {} tasks for {} of files, and one for a file that is gone by "
             "now\n  one transaction, with a row in files_seen for each\n",
             grouped(found), megabytes(tasks.bytes()));
  return 0;
}

} // namespace quickstart
