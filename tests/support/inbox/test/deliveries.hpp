#pragma once

// Deliveries without a database. Included after a test's CAF_SUITE.

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inbox/delivery.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

/// A subscription on a table "jobs" with these columns, each named after its
/// role.
inline shared_statements
jobs(const std::vector<std::pair<column_role, column_type>>& columns,
     const std::function<void(subscription_settings&)>& change = {}) {
  table_spec spec;
  spec.name = "jobs";
  for (const auto& [role, type] : columns)
    spec.columns.push_back({std::string{to_string(role)}, role, false, type});
  subscription s{"emails", unbox(table::make(std::move(spec))), {}};
  if (change)
    change(s.settings);
  return std::make_shared<const statement_set>(std::move(s));
}

/// One claimed row; values in the order of the description's columns.
inline claimed_rows claimed(const shared_statements& of,
                            const std::vector<value>& values,
                            std::optional<time_point> until = {}) {
  std::vector<std::string> names;
  for (const auto& c : of->description().columns())
    names.push_back(c.name);
  row_set::builder rows{names};
  for (const auto& v : values)
    rows.add(v);
  return {
    .rows = std::move(rows).finish(), .claimed_at = {}, .locked_until = until};
}

inline delivery deliver(const shared_statements& of,
                        const std::vector<value>& values,
                        std::optional<time_point> until = {},
                        delivery_number number = 1) {
  return unbox(delivery::from_row(of, claimed(of, values, until), 0, number));
}

} // namespace inbox::test
