#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inbox/error.hpp"
#include "stopwatch.hpp"
#include "tally.hpp"

namespace bench {

/// Names and values to print, in order.
using facts = std::vector<std::pair<std::string, std::string>>;

/// A database with the table that is drained.
class stage {
public:
  virtual ~stage() = default;

  /// Makes the table anew, with the rows 1..n, all due.
  virtual inbox::expected<void> fill(std::size_t rows) = 0;

  /// Rows in the table.
  virtual inbox::expected<std::size_t> left() = 0;

  /// CPU time of the database's own processes.
  virtual std::optional<inbox::duration> server_cpu() = 0;

  /// Version and what bears on speed and durability.
  virtual inbox::expected<facts> about() = 0;
};

/// One way to drain the table.
struct subject {
  std::string name;
  std::uint32_t connections = 1;
  /// Handles every row once. The watch runs while it drains, and not while it
  /// connects and prepares.
  std::function<inbox::expected<void>(stopwatch&, tally&)> drain;
};

/// Subjects that are measured in turn over the same table.
struct scenario {
  std::string name;
  std::shared_ptr<stage> on;
  /// The library's first; the others are raw loops.
  std::vector<subject> subjects;
  /// True when every row has a commit of its own: slow, so that a quick run
  /// takes fewer rows.
  bool is_row_by_row = false;
};

} // namespace bench
