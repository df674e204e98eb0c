#pragma once

#include <set>
#include <string>
#include <string_view>

#include "inbox/driver.hpp"
#include "inbox/new_rows.hpp"

namespace inbox {

/// The groups that new rows are of, so that each is announced once (B42).
class written_groups {
public:
  explicit written_groups(const table& to)
    : position_{to.position(column_role::group)} {}

  /// The same rows; each is noted when its turn comes. This outlives them.
  new_rows noting(new_rows rows);
  void note(const row_values& row);

  /// A single empty one, for rows of any group, when a row's group is the
  /// database's to fill in or there are very many.
  std::set<std::string> all() const;

private:
  std::optional<std::size_t> position_;
  std::set<std::string> groups_;
  bool is_any_ = false;
};

/// Tells those who listen of new rows in a table. After the rows are
/// committed, on the same connection, so that a refusal costs no row; and once
/// for all rows of a group.
/// @param group of the rows; empty for rows of any.
/// @returns `errc::declaration` where the database announces nothing.
expected<void> announce(connection& on, const dialect& speaks, const table& of,
                        std::string_view group);

/// The same for each of these groups.
expected<void> announce(connection& on, const dialect& speaks, const table& of,
                        const std::set<std::string>& groups);

} // namespace inbox
