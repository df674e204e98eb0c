#include "inbox/sqlite/inspect.hpp"

#include <algorithm>

#include "inbox/sqlite/due_times.hpp"

namespace inbox::sqlite {

using namespace sql;

namespace {

constexpr auto shape = time_shape::exact;

piece is_due_or_has_no_time(const table& t) {
  if (!t.has(column_role::retry_after))
    return {};
  return [&t](writer& w) {
    w.text("(").put(has_no_due_time(t)).text(" OR ");
    w.put(is_due(t, shape)).text(")");
  };
}

piece age(const table& t) {
  const auto* c = t.find(column_role::retry_after);
  if (!c)
    return {};
  return [c](writer& w) {
    w.text("(julianday(").bind(param::meaning::now).text(") - julianday(");
    w.name(*c).text(")) * 86400.0");
  };
}

std::vector<piece> order(const table& t) {
  std::vector<piece> keys{named(t.find(column_role::priority))};
  if (t.has(column_role::retry_after))
    for (auto& key : due_order(t, shape))
      keys.push_back(std::move(key));
  keys.push_back(named(&t.id()));
  return keys;
}

/// The affinity SQLite gives a column declared so, by the rules of its
/// documentation's section 3.1, in their order.
column_type affinity(std::string declared) {
  std::transform(declared.begin(), declared.end(), declared.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  const auto says = [&](std::string_view part) {
    return declared.find(part) != std::string::npos;
  };
  if (says("INT"))
    return column_type::integer;
  if (says("CHAR") || says("CLOB") || says("TEXT"))
    return column_type::text;
  if (says("BLOB"))
    return column_type::bytes;
  if (says("REAL") || says("FLOA") || says("DOUB"))
    return column_type::real;
  return column_type::unknown;
}

} // namespace

inspection inspect(const inbox::dialect& speaks, const subscription& s) {
  const auto& t = s.description;
  return {.speaks = speaks,
          .of = s,
          .due = is_due_or_has_no_time(t),
          .age = age(t),
          .order = order(t)};
}

expected<std::vector<table_column>> read_columns(connection& from,
                                                 const table_name& of) {
  const std::string text = "SELECT name, type, hidden > 1 FROM "
                           "pragma_table_xinfo(?"
                           + std::string{of.schema().empty() ? "" : ", ?"}
                           + ") WHERE hidden <> 1 ORDER BY cid";
  std::vector<value> values{of.name()};
  if (!of.schema().empty())
    values.emplace_back(of.schema());
  const auto found = from.execute(text, values);
  if (!found)
    return tl::unexpected{found.error()};
  std::vector<table_column> columns;
  const auto& rows = *found->rows;
  for (std::size_t at = 0; at < rows.size(); ++at)
    columns.push_back(
      {std::string{rows.at(at, 0).as_text().value_or("")}, column_role::data,
       rows.at(at, 2).as_integer().value_or(0) != 0,
       affinity(std::string{rows.at(at, 1).as_text().value_or("")})});
  if (columns.empty())
    return missing_table(of);
  return columns;
}

} // namespace inbox::sqlite
