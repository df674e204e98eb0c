#include "inbox/postgres/inspect.hpp"

#include "inbox/postgres/claim.hpp"
#include "inbox/sql/shared.hpp"

namespace inbox::postgres {

using namespace sql;

namespace {

piece is_due(const table& t) {
  const auto* c = t.find(column_role::retry_after);
  if (!c)
    return {};
  return [c, &t](writer& w) {
    w.text("(").name(*c).text(" IS NULL OR ");
    w.name(*c).text(" <= ").put(now(t)).text(")");
  };
}

piece age(const table& t) {
  const auto* c = t.find(column_role::retry_after);
  if (!c)
    return {};
  return [c, &t](writer& w) {
    w.text("EXTRACT(EPOCH FROM ").put(now(t)).text(" - ").name(*c);
    w.text(")::double precision");
  };
}

constexpr std::pair<std::string_view, column_type> types[] = {
  {"int2", column_type::integer},     {"int4", column_type::integer},
  {"int8", column_type::integer},     {"float4", column_type::real},
  {"float8", column_type::real},      {"bool", column_type::boolean},
  {"text", column_type::text},        {"varchar", column_type::text},
  {"bpchar", column_type::text},      {"bytea", column_type::bytes},
  {"json", column_type::json},        {"jsonb", column_type::json},
  {"timestamptz", column_type::time}, {"timestamp", column_type::time},
};

column_type type_named(std::string_view name) {
  for (const auto& [known, type] : types)
    if (known == name)
      return type;
  return column_type::unknown;
}

constexpr auto columns_query
  = "SELECT a.attname::text, t.typname::text,"
    " a.attidentity <> '' OR a.attgenerated <> ''"
    " FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid"
    " WHERE a.attrelid = to_regclass($1) AND a.attnum > 0"
    " AND NOT a.attisdropped ORDER BY a.attnum";

std::string quoted(const inbox::dialect& speaks, const table_name& t) {
  return (t.schema().empty() ? "" : speaks.quote(t.schema()) + ".")
         + speaks.quote(t.name());
}

} // namespace

inspection inspect(const inbox::dialect& speaks, const subscription& s) {
  const auto& t = s.description;
  return {.speaks = speaks,
          .of = s,
          .due = is_due(t),
          .age = age(t),
          .order = sql::claim_order(t)};
}

expected<std::vector<table_column>> read_columns(connection& from,
                                                 const inbox::dialect& speaks,
                                                 const table_name& of) {
  const value name{quoted(speaks, of)};
  const auto found = from.execute(columns_query, {&name, 1});
  if (!found)
    return tl::unexpected{found.error()};
  std::vector<table_column> columns;
  const auto& rows = *found->rows;
  for (std::size_t at = 0; at < rows.size(); ++at)
    columns.push_back({std::string{rows.at(at, 0).as_text().value_or("")},
                       column_role::data,
                       rows.at(at, 2).as_boolean().value_or(false),
                       type_named(rows.at(at, 1).as_text().value_or(""))});
  if (columns.empty())
    return missing_table(of);
  return columns;
}

} // namespace inbox::postgres
