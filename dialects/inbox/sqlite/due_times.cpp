#include "inbox/sqlite/due_times.hpp"

namespace inbox::sqlite {

using namespace sql;

namespace {

const table_column& due(const table& t) {
  return *t.find(column_role::retry_after);
}

/// The pieces of an expression around the column's name.
piece around(const table& t, std::vector<std::string> parts) {
  return [&c = due(t), parts = std::move(parts)](writer& w) {
    w.text(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i)
      w.name(c).text(parts[i]);
  };
}

constexpr auto date = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]";

} // namespace

piece is_due(const table& t, time_shape shape) {
  if (shape == time_shape::plain)
    return [&c = due(t)](writer& w) {
      w.name(c).text(" <= ").bind(param::meaning::now);
    };
  // In every form the text begins with the date, at the writer's offset; no
  // offset is a day wide. That much an index can bound.
  return [&c = due(t)](writer& w) {
    w.text("(").name(c).text(" < date(").bind(param::meaning::now);
    w.text(", '+2 days') AND julianday(").name(c);
    w.text(") <= julianday(").bind(param::meaning::now).text("))");
  };
}

piece has_no_due_time(const table& t) {
  return around(t, {"", " IS NULL"});
}

std::vector<piece> due_order(const table& t, time_shape shape) {
  if (shape == time_shape::plain)
    return {named(&due(t))};
  // The date functions count milliseconds; the text tells what lies below.
  return {around(t, {"julianday(", ")"}), named(&due(t))};
}

piece is_readable(const table& t) {
  return around(t, {"(julianday(", ") IS NOT NULL AND (typeof(",
                    ") IN ('integer', 'real') OR (typeof(", ") = 'text' AND ",
                    " GLOB '" + std::string{date} + "*')))"});
}

} // namespace inbox::sqlite
