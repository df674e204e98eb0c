#pragma once

// A second client of a test's database, over the bare drivers and none of the
// library's code. Used by one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inbox/test/cell.hpp"
#include "inbox/time.hpp"

namespace inbox::test {

using raw_row = std::vector<std::optional<std::string>>;

class raw_database {
public:
  virtual ~raw_database() = default;

  /// Runs statements and returns the last one's rows. Throws what the driver
  /// throws.
  virtual std::vector<raw_row> ask(const std::string& sql) = 0;

  /// A literal of those octets.
  virtual std::string octets(const std::string& what) const = 0;
  /// A literal of that instant.
  virtual std::string instant(time_point t) const = 0;
  /// An expression that shows a time column as `parse_time` reads it.
  virtual std::string shown(const std::string& time_column) const = 0;

  void run(const std::string& sql) { ask(sql); }

  /// The number in a result of one row and one column.
  std::int64_t count(const std::string& sql);
};

std::unique_ptr<raw_database> open_postgres(const std::string& url);

/// @param busy how long a statement waits for another writer.
std::unique_ptr<raw_database> open_sqlite(const std::string& path,
                                          duration busy = 30s);

} // namespace inbox::test
