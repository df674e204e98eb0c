#pragma once

#include <chrono>
#include <set>
#include <string>

#include "inbox/log.hpp"
#include "inbox/sqlite/dialect.hpp"
#include "inbox/sqlite/prepared.hpp"
#include "inbox/sqlite/time_shape.hpp"

namespace inbox::sqlite {

/// Watches which forms of time the rows of one subscription hold, so that the
/// plain statements run only while they are right.
///
/// It looks through the whole queue once, before the first claim; from then on
/// now and then, and only at rows a plain claim passes over although they may
/// be due in truth. The rows it takes are seen by the claim itself.
class time_watch {
public:
  struct settings {
    duration every = 20s; ///< between two looks, at least
    log_sink log;         ///< told of values that cannot be read; may be empty
  };

  time_watch(shared_statements of, settings s);

  /// Looks if it is time to.
  /// @returns the shape the statements must have from now on.
  expected<time_shape> look(open_file& in, time_point now);

  /// A claim met a value that is not plain.
  void on_foreign(const value_view& id, const value_view& seen);

private:
  using instant = std::chrono::steady_clock::time_point;
  class queue_rows;

  bool is_due(open_file& in);
  expected<void> look_through(open_file& in);
  expected<void> look_nearby(open_file& in, time_point now);
  expected<void> look_at(expected<queue_rows> rows);
  expected<void> report_unreadable(open_file& in);
  void tell(log_level level, std::string text, const value_view& id,
            const value_view& seen);

  shared_statements of_;
  settings settings_;
  time_shape needed_ = time_shape::plain;
  bool has_looked_ = false;
  instant next_look_{};
  std::int64_t seen_version_ = -1;
  std::set<std::string> reported_; ///< ids of unreadable rows
};

} // namespace inbox::sqlite
