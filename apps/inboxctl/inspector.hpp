#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inbox/any/inspect.hpp"

namespace inboxctl {

using inbox::sql::row_state;

/// Numbers as text in the order of the numbers.
struct by_number {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

/// What a queue holds.
struct queue_counts {
  std::map<row_state, std::uint64_t> rows;
  std::uint64_t dead = 0;
  std::optional<double> oldest_ready_seconds;
  /// Unfinished rows by attempt; as text, since a column may hold anything.
  std::map<std::string, std::uint64_t, by_number> attempts;
};

/// One row, as far as its roles tell.
struct row_summary {
  inbox::value id;
  inbox::value group;
  std::string state;
  inbox::value attempt;
  inbox::value retry_after;
  inbox::value locked_until;
  inbox::value processed_at;
};

/// Looks into one queue through a connection it is lent. Changes nothing.
class inspector {
public:
  /// @param speaks and `queue` outlive this.
  static inbox::expected<inspector> make(const inbox::dialect& speaks,
                                         const inbox::subscription& queue);

  inbox::expected<queue_counts> count(inbox::connection& through) const;

  inbox::expected<std::vector<row_summary>> list(inbox::connection& through,
                                                 std::optional<row_state> only,
                                                 std::uint32_t limit) const;

  /// True when a row is claimable now or held by somebody.
  inbox::expected<bool> has_work(inbox::connection& through) const;

private:
  explicit inspector(inbox::sql::inspection how) : how_{std::move(how)} {}

  inbox::expected<inbox::shared_rows> read(inbox::connection& through,
                                           const inbox::statement& what) const;

  inbox::sql::inspection how_;
};

} // namespace inboxctl
