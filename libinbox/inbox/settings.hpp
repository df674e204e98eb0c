#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/subscription.hpp"

namespace inbox {

/// The section [database] of a configuration file.
struct database_settings {
  /// Empty when the file names none. May hold a password: never print it.
  std::string url;
  /// Connections at most; 2 or more, so that one stays free for settling.
  std::uint32_t pool = 8;
  /// Postgres alone; whoever knows the URL refuses it elsewhere.
  bool listen_notify = false;
  /// SQLite: switch the file to WAL.
  bool wal = false;
  /// "inboxctl.toml:3", for messages about the URL.
  std::string where;
};

/// One section [queue.NAME]: a checked subscription and what a program needs.
struct queue_settings {
  subscription queue;
  /// The program and its arguments as written; empty when the file names none.
  std::vector<std::string> exec;
  /// True in row mode without `data`: the description lacks the columns beside
  /// the roles until `list_columns` adds them from the database.
  bool all_columns = false;
  /// What the description was made of.
  table_spec declared;
  /// "inboxctl.toml:12", for messages about the queue.
  std::string where;
};

/// A configuration file, read and checked as far as that needs no database.
struct configuration {
  /// As it was given, for messages.
  std::string file;
  database_settings database;
  std::vector<queue_settings> queues; ///< in the file's order

  /// The folder relative programs start from.
  std::filesystem::path folder() const;

  /// Null when no queue has that name.
  const queue_settings* find(std::string_view queue) const noexcept;
};

/// Looks up an environment variable; nothing when it is not set.
using environment_lookup
  = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
std::optional<std::string> process_environment(const std::string& name);

/// Reads a TOML configuration file.
/// @returns the first refusal, its message led by file and line:
///          `errc::invalid_config` for a file that cannot be read, broken TOML,
///          an unknown key (with the legal ones) and an unset ${NAME}; else the
///          code of the rule that is broken, as `table::make` and `check` say.
expected<configuration>
read_configuration(const std::filesystem::path& file,
                   const environment_lookup& variables = process_environment);

/// The same from text; `file` is what messages call it.
expected<configuration>
parse_configuration(std::string_view text, std::string file,
                    const environment_lookup& variables = process_environment);

/// The queue's subscription with each of `found` that plays no role as a data
/// column, in their order. For a queue with `all_columns`.
/// @param found the table's columns as the database has them.
expected<subscription> list_columns(const queue_settings& queue,
                                    std::span<const table_column> found);

} // namespace inbox
