#include "commands/new_row.hpp"

#include <CLI/CLI.hpp>

#include "inbox/any/inspect.hpp"
#include "inbox/headers.hpp"

#include "octets.hpp"

namespace inboxctl {

using inbox::column_role;
using inbox::errc;
using inbox::expected;

namespace {

struct role_option {
  const char* name;
  column_role role;
  bool is_given;
};

std::vector<role_option> given_options(const row_options& how,
                                       bool takes_payload) {
  return {{"a payload", column_role::payload, takes_payload},
          {"--header", column_role::headers, !how.headers.empty()},
          {"--delay", column_role::retry_after, how.delay.has_value()},
          {"--priority", column_role::priority, how.priority.has_value()},
          {"--key", column_role::partition_key, how.key.has_value()},
          {"--group", column_role::group, how.group.has_value()}};
}

expected<inbox::header_map>
read_headers(const std::vector<std::string>& pairs) {
  inbox::header_map headers;
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return inbox::refuse(errc::invalid_setting,
                           "--header \"" + printable(pair)
                             + "\": write a name and a value, as in "
                               "--header lang=en");
    const auto [at, is_new] = headers.emplace(pair.substr(0, equals),
                                              pair.substr(equals + 1));
    if (!is_new)
      return inbox::refuse(errc::invalid_setting, "--header \""
                                                    + printable(at->first)
                                                    + "\" is given twice");
  }
  if (const auto text = inbox::to_json(headers); !text)
    return inbox::refuse(errc::invalid_setting,
                         "--header: " + text.error().message());
  return headers;
}

/// @returns `errc::invalid_setting` when it does not read.
expected<inbox::duration> read_delay(const row_options& how) {
  if (!how.delay)
    return inbox::duration::zero();
  auto delay = inbox::parse_duration(*how.delay);
  if (!delay)
    return inbox::refuse(errc::invalid_setting,
                         "--delay: " + delay.error().message());
  return delay;
}

} // namespace

void add_row_options(CLI::App& to, row_options& how) {
  to.add_option("--header", how.headers, "A header; may be repeated")
    ->type_name("K=V")
    ->allow_extra_args(false);
  to.add_option("--delay", how.delay, "Due this much later, as in 10s")
    ->type_name("TIME");
  to.add_option("--priority", how.priority, "A smaller one is claimed first")
    ->type_name("N");
  to.add_option("--key", how.key, "The partition key")->type_name("K");
  to.add_option("--group", how.group, "The group, instead of the queue's")
    ->type_name("G");
}

expected<void> check_roles(const inbox::queue_settings& queue,
                           const row_options& how, bool takes_payload) {
  for (const auto& option : given_options(how, takes_payload))
    if (option.is_given && !queue.queue.description.has(option.role))
      return tl::make_unexpected(
        inbox::failure{
          errc::missing_role,
          std::string{option.name} + " needs a column for the role "
            + std::string{to_string(option.role)}
            + ", and the queue has none; add it to [queue." + queue.queue.name
            + ".columns], or leave the "
              "option out"}
          .in_subscription(queue.queue.name)
          .on_table(queue.queue.description.name().qualified()));
  if (auto headers = read_headers(how.headers); !headers)
    return tl::unexpected{std::move(headers.error())};
  if (auto delay = read_delay(how); !delay)
    return tl::unexpected{std::move(delay.error())};
  return {};
}

inbox::new_row row_of(const row_options& how) {
  inbox::new_row row;
  row.headers = *read_headers(how.headers);
  row.delay = *read_delay(how);
  row.priority = how.priority;
  row.partition_key = how.key;
  row.group = how.group;
  return row;
}

expected<inbox::subscription>
with_payload_type(const inbox::dialect& speaks, inbox::connection& from,
                  const inbox::queue_settings& queue) {
  auto typed = queue.queue;
  const auto* payload = typed.description.find(column_role::payload);
  if (!payload)
    return typed;
  const auto found = inbox::any::read_columns(from, speaks,
                                              typed.description.name());
  if (!found)
    return tl::unexpected{found.error()};
  auto spec = queue.declared;
  for (auto& c : spec.columns)
    for (const auto& there : *found)
      if (c.role == column_role::payload && there.name == c.name)
        c.type = there.type;
  return inbox::table::make(std::move(spec)).map([&typed](inbox::table t) {
    typed.description = std::move(t);
    return std::move(typed);
  });
}

} // namespace inboxctl
