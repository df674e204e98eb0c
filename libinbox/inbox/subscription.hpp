#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inbox/policy.hpp"
#include "inbox/table.hpp"

namespace inbox {

/// How one queue is served. Plain data; `check` holds the rules.
struct subscription_settings {
  /// Deliveries in work at once.
  std::uint32_t workers = 1;
  /// Rows one handler call takes.
  std::uint32_t batch = 1;
  /// Lease form: ceiling of rows claimed ahead, the workers' own included.
  std::uint32_t prefetch = 100;
  /// How long a short claim waits before the next one.
  duration poll_interval = 1s;
  /// How long a crashed process' row stays out of the queue; whole seconds,
  /// rounded up. Extended each half lease while the handler runs.
  duration lease = 30s;
  /// Bound on one handler call; zero means none.
  duration timeout = 1h;
  /// How long a stopping service waits for its handlers.
  duration drain_timeout = 30s;
  /// The delivery at which a failing row is moved; with `dead_letter`.
  std::optional<std::uint32_t> max_attempts = {};
  /// A group where the table has a group column, a table where it has none.
  std::optional<std::string> dead_letter = {};
  failure_policy on_decode_failure{failure_policy::kind::drop, {}, {}};
  failure_policy on_failure{failure_policy::kind::retry, {}, backoff{}};
  /// The group to read, where it is not the subscription's name.
  std::optional<std::string> group = {};
};

/// One queue: a name, a table and how to serve it.
struct subscription {
  std::string name;
  table description;
  subscription_settings settings;

  /// The group its claims name; the name unless a group is set.
  const std::string& group() const noexcept {
    return settings.group ? *settings.group : name;
  }

  /// The dead letter's table, in a table without a group column.
  /// @pre `check` accepted this subscription.
  std::optional<table_name> dead_letter_table() const;

  /// The dead letter's group, in a table with a group column.
  std::optional<std::string> dead_letter_group() const;
};

/// Checks C-105, C-017 and the settings' ranges.
/// @returns `errc::declaration` for half a retry declaration, a cap without an
///          attempt column or an unreadable dead-letter table, and
///          `errc::invalid_setting` otherwise; the subscription is named.
expected<void> check(const subscription& s);

} // namespace inbox
