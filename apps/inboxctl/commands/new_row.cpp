#include "commands/new_row.hpp"

#include <CLI/CLI.hpp>

#include "inbox/any/inspect.hpp"
#include "inbox/headers.hpp"
#include "inbox/utf8.hpp"

#include "octets.hpp"

namespace inboxctl {

using inbox::column_role;
using inbox::errc;
using inbox::expected;
using inbox::value;

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

bool is_given(const row_options& how, column_role role) {
  // A generated payload is written too: a row without it would make no sense.
  for (const auto& option : given_options(how, true))
    if (option.role == role)
      return option.is_given;
  return false;
}

expected<std::string> read_headers(const std::vector<std::string>& pairs) {
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
  auto text = inbox::to_json(headers);
  if (!text)
    return inbox::refuse(errc::invalid_setting,
                         "--header: " + text.error().message());
  return text;
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

template <class T>
value or_null(const std::optional<T>& given) {
  return given ? value{*given} : value{};
}

/// The value of one column, the payload's excepted.
value value_of(column_role role, const inbox::subscription& queue,
               const row_options& how) {
  switch (role) {
    case column_role::group: return how.group.value_or(queue.group());
    case column_role::partition_key: return or_null(how.key);
    case column_role::priority: return how.priority.value_or(0);
    case column_role::retry_after:
      return inbox::after_delay(inbox::host_now(), *read_delay(how));
    case column_role::attempt: return 1;
    case column_role::headers: return *read_headers(how.headers);
    default: return {};
  }
}

/// Positions of the columns to write. The id is the database's to fill in, and
/// so are the service's own columns, which no option speaks of.
std::vector<std::uint16_t> written(const inbox::table& t,
                                   const row_options& how) {
  std::vector<std::uint16_t> positions;
  for (std::size_t at = 0; at < t.columns().size(); ++at) {
    const auto& c = t.columns()[at];
    const bool is_ours = c.role != column_role::id
                         && c.role != column_role::data
                         && c.role != column_role::fetched;
    if (is_ours && (!c.generated || is_given(how, c.role)))
      positions.push_back(static_cast<std::uint16_t>(at));
  }
  return positions;
}

/// Whether the payload's column is declared to hold text. It only matters
/// where a column takes either (SQLite): readers there see what was bound.
expected<bool> holds_text(const inbox::dialect& speaks, inbox::connection& from,
                          const inbox::table& t) {
  const auto* payload = t.find(column_role::payload);
  if (!payload)
    return false;
  const auto columns = inbox::any::read_columns(from, speaks, t.name());
  if (!columns)
    return tl::unexpected{columns.error()};
  for (const auto& c : *columns)
    if (c.name == payload->name)
      return c.type == inbox::column_type::text
             || c.type == inbox::column_type::json;
  return false; // the insert names the missing column
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

expected<row_writer> row_writer::make(const inbox::dialect& speaks,
                                      inbox::connection& from,
                                      const inbox::subscription& queue,
                                      const row_options& how) {
  const auto& t = queue.description;
  auto insert = speaks.insert(t, written(t, how));
  if (!insert)
    return tl::unexpected{std::move(insert.error())};
  const auto is_text = holds_text(speaks, from, t);
  if (!is_text)
    return tl::unexpected{is_text.error()};
  row_writer made;
  made.insert_ = std::move(*insert);
  made.is_text_ = *is_text;
  for (const auto& p : made.insert_.params) {
    const auto role = t.columns()[p.column].role;
    if (role == column_role::payload)
      made.payload_ = made.values_.size();
    made.values_.push_back(value_of(role, queue, how));
  }
  return made;
}

std::vector<value> row_writer::values(const std::string& payload) const {
  auto all = values_;
  if (payload_)
    all[*payload_] = is_text_ && inbox::is_utf8(payload)
                       ? value{payload}
                       : value::bytes(payload);
  return all;
}

} // namespace inboxctl
