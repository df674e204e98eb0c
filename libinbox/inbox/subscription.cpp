#include "inbox/subscription.hpp"

#include <cmath>
#include <tuple>
#include <utility>

namespace inbox {

namespace {

using result = expected<void>;

auto refuse_setting(std::string why) {
  return refuse(errc::invalid_setting, std::move(why));
}

auto refuse_declaration(std::string why) {
  return refuse(errc::declaration, std::move(why));
}

result at_least_one(std::string_view name, std::uint32_t value) {
  if (value == 0)
    return refuse_setting(std::string{name} + " is 0; at least 1 is needed");
  return {};
}

result check_counts(const subscription& s) {
  const std::pair<std::string_view, std::uint32_t> counts[] = {
    {"workers", s.settings.workers},
    {"batch", s.settings.batch},
    {"prefetch", s.settings.prefetch},
  };
  for (const auto& [name, value] : counts)
    if (auto checked = at_least_one(name, value); !checked)
      return checked;
  return {};
}

result within(std::string_view name, duration value, duration least) {
  if (value < least || value > max_delay)
    return refuse_setting(std::string{name} + " is " + to_string(value)
                          + "; it lies between " + to_string(least) + " and "
                          + to_string(max_delay));
  return {};
}

result check_durations(const subscription& s) {
  // A lease ends on a whole second, so a shorter one would be a promise of
  // less than the table can keep; no poll interval at all would be a spin.
  const struct {
    std::string_view name;
    duration value;
    duration least;
  } durations[] = {
    {"poll_interval", s.settings.poll_interval, 1ms},
    {"lease", s.settings.lease, 1s},
    {"timeout", s.settings.timeout, 0s},
    {"drain_timeout", s.settings.drain_timeout, 0s},
  };
  for (const auto& d : durations)
    if (auto checked = within(d.name, d.value, d.least); !checked)
      return checked;
  return {};
}

result check_backoff(const backoff& wait) {
  if (auto checked = within("backoff.first", wait.first, 0s); !checked)
    return checked;
  if (auto checked = within("backoff.cap", wait.cap, wait.first); !checked)
    return checked;
  if (!std::isfinite(wait.factor) || wait.factor < 1)
    return refuse_setting("backoff.factor is " + std::to_string(wait.factor)
                          + "; it is a number of 1 or more");
  if (!(wait.jitter >= 0 && wait.jitter <= 1))
    return refuse_setting("backoff.jitter is " + std::to_string(wait.jitter)
                          + "; it lies between 0 and 1");
  return {};
}

result check_policy(std::string_view name, const failure_policy& policy) {
  if (policy.what == failure_policy::kind::retry_after)
    if (auto checked = within(name, policy.delay, 0s); !checked)
      return checked;
  return policy.wait ? check_backoff(*policy.wait) : result{};
}

result check_policies(const subscription& s) {
  if (auto checked = check_policy("on_decode_failure",
                                  s.settings.on_decode_failure);
      !checked)
    return checked;
  return check_policy("on_failure", s.settings.on_failure);
}

result check_group(const subscription& s) {
  if (s.name.empty())
    return refuse_setting("a subscription's name is empty; give it a name");
  if (s.settings.group && !s.description.has(column_role::group))
    return refuse_setting("group is set and no column of the table has the "
                          "role group; remove group or name the column");
  return {};
}

/// A lease on a table without one would be silently ignored (C-017).
result check_lease(const subscription& s) {
  if (s.description.kind() != form::lease
      && s.settings.lease != subscription_settings{}.lease)
    return refuse_setting("lease is set and no column of the table has the "
                          "role locked_until; remove lease or name the column");
  return {};
}

result check_target_table(const subscription& s) {
  const auto target = table_name::parse(*s.settings.dead_letter);
  if (!target)
    return refuse_declaration("dead_letter names the table that given up rows "
                              "move to, as there is no group column: "
                              + target.error().message());
  if (*target == s.description.name())
    return refuse_declaration("dead_letter names the queue's own table; name "
                              "another table with the same columns");
  return {};
}

result check_target_group(const subscription& s) {
  if (s.settings.dead_letter->empty())
    return refuse_declaration("dead_letter is empty; name the group that given "
                              "up rows move to");
  if (*s.settings.dead_letter == s.group())
    return refuse_declaration("dead_letter names the queue's own group, which "
                              "would serve the row again; name another group");
  return {};
}

/// The cap and its destination come together (C-105).
result check_declaration(const subscription& s) {
  const auto& [cap, target] = std::tie(s.settings.max_attempts,
                                       s.settings.dead_letter);
  if (!cap && !target)
    return {};
  if (!target)
    return refuse_declaration("max_attempts is set without dead_letter; say "
                              "where a row goes after its last attempt");
  if (!cap)
    return refuse_declaration("dead_letter is set without max_attempts; say "
                              "how many attempts a row has");
  if (*cap == 0)
    return refuse_setting("max_attempts is 0; at least 1 is needed");
  if (!s.description.has(column_role::attempt))
    return refuse_declaration("max_attempts is set and no column of the table "
                              "has the role attempt; name the column that "
                              "counts attempts");
  return s.description.has(column_role::group) ? check_target_group(s)
                                               : check_target_table(s);
}

using rule = result (*)(const subscription&);

constexpr rule rules[] = {check_group,    check_counts, check_durations,
                          check_policies, check_lease,  check_declaration};

} // namespace

std::optional<table_name> subscription::dead_letter_table() const {
  if (!settings.dead_letter || description.has(column_role::group))
    return std::nullopt;
  auto target = table_name::parse(*settings.dead_letter);
  return target ? std::optional{std::move(*target)} : std::nullopt;
}

std::optional<std::string> subscription::dead_letter_group() const {
  if (!description.has(column_role::group))
    return std::nullopt;
  return settings.dead_letter;
}

expected<void> check(const subscription& s) {
  for (const auto holds : rules)
    if (auto checked = holds(s); !checked)
      return tl::make_unexpected(
        std::move(checked).error().in_subscription(s.name).on_table(
          s.description.name().qualified()));
  return {};
}

} // namespace inbox
