#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "inbox/subscription.hpp"

namespace inbox::test {

/// A description to be altered: table `jobs`, one column for each role, named
/// after the role; the id generated.
inline table_spec jobs_spec(std::initializer_list<column_role> roles) {
  table_spec spec;
  spec.name = "jobs";
  for (const auto role : roles)
    spec.columns.push_back({.name = std::string{to_string(role)},
                            .role = role,
                            .generated = role == column_role::id});
  return spec;
}

/// A subscription "emails" of it. The description has to be right.
inline subscription serving(table_spec spec) {
  auto made = table::make(std::move(spec));
  return {"emails", std::move(made).value(), {}};
}

inline subscription jobs(std::initializer_list<column_role> roles) {
  return serving(jobs_spec(roles));
}

/// The same with a dead letter after the fifth delivery.
inline subscription with_dead_letter(subscription s, std::string destination) {
  s.settings.max_attempts = 5;
  s.settings.dead_letter = std::move(destination);
  return s;
}

} // namespace inbox::test
