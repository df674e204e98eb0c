#include "inbox/new_rows.hpp"

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

/// True when `row` says something of that role.
bool is_set(const new_row& row, column_role role) {
  switch (role) {
    case column_role::group: return row.group.has_value();
    case column_role::partition_key: return row.partition_key.has_value();
    case column_role::priority: return row.priority.has_value();
    case column_role::retry_after: return row.delay > duration::zero();
    case column_role::headers: return !row.headers.empty();
    case column_role::payload: return !row.payload.empty();
    default: return false;
  }
}

bool is_written(const new_row& row, const table_column& c) {
  if (c.role == column_role::id || c.role == column_role::data
      || c.role == column_role::fetched)
    return false;
  return !c.generated || is_set(row, c.role) || c.role == column_role::payload;
}

value payload_of(const new_row& row, const table_column& c) {
  const bool text = c.type == column_type::text || c.type == column_type::json;
  return text && is_utf8(row.payload) ? value{row.payload}
                                      : value::bytes(row.payload);
}

template <class T>
value or_null(const std::optional<T>& given) {
  return given ? value{*given} : value{};
}

expected<value> value_of(const table_column& c, const subscription& queue,
                         const new_row& row, time_point now) {
  switch (c.role) {
    case column_role::group: return row.group.value_or(queue.group());
    case column_role::partition_key: return or_null(row.partition_key);
    case column_role::priority: return row.priority.value_or(0);
    case column_role::retry_after: return after_delay(now, row.delay);
    case column_role::attempt: return 1;
    case column_role::payload: return payload_of(row, c);
    case column_role::headers:
      return to_json(row.headers).map([](std::string json) {
        return value::json(std::move(json));
      });
    default: return value{};
  }
}

expected<void> check_roles(const subscription& queue, const new_row& row) {
  for (const auto role : named_roles)
    if (is_set(row, role) && !queue.description.has(role))
      return tl::make_unexpected(
        failure{errc::missing_role,
                "the row sets " + std::string{to_string(role)}
                  + ", and the table has no column for it; add one to its "
                    "description, or leave it out"}
          .in_subscription(queue.name)
          .on_table(queue.description.name().qualified()));
  return {};
}

} // namespace

expected<row_values> values_of(const subscription& queue, const new_row& row,
                               time_point now) {
  if (auto good = check_roles(queue, row); !good)
    return tl::make_unexpected(std::move(good.error()));
  const auto columns = queue.description.columns();
  row_values made;
  made.columns.reserve(columns.size());
  made.values.reserve(columns.size());
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (!is_written(row, columns[at]))
      continue;
    auto v = value_of(columns[at], queue, row, now);
    if (!v)
      return tl::make_unexpected(std::move(v.error()));
    made.columns.push_back(static_cast<std::uint16_t>(at));
    made.values.push_back(std::move(*v));
  }
  return made;
}

new_rows rows_of(const subscription& queue, std::span<const new_row> rows,
                 time_point now) {
  return {rows.size(), [&queue, rows, now](std::size_t at) {
            return values_of(queue, rows[at], now);
          }};
}

} // namespace inbox
