#include "inbox/sql/schema.hpp"

#include <algorithm>

namespace inbox::sql {

namespace {

void create_table(writer& w, const subscription& s, const table_name& name,
                  const schema_style& style, place where) {
  w.text("CREATE TABLE IF NOT EXISTS ").name(name).text(" (");
  std::string_view separator = "\n  ";
  for (const auto& c : s.description.columns()) {
    w.text(separator).name(c).text(" " + style.definition(c, where));
    separator = ",\n  ";
  }
  w.text("\n)").text(where == place::queue ? style.options : "");
  w.text(";\n");
}

/// A name of its own for each table, within what every database keeps.
std::string index_name(const table_name& t) {
  constexpr std::string_view ending = "_claim";
  constexpr std::size_t longest = 63;
  // Cut between characters, not within one.
  auto cut = std::min(t.name().size(), longest - ending.size());
  while (cut < t.name().size() && (t.name()[cut] & 0xC0) == 0x80)
    --cut;
  return t.name().substr(0, cut).append(ending);
}

} // namespace

std::string ddl(const subscription& s, const schema_style& style) {
  writer w{style.speaks};
  create_table(w, s, s.description.name(), style, place::queue);
  if (const auto index = claim_index(s.description, style.speaks,
                                     style.index_in_schema);
      !index.empty())
    w.text(index).text("\n");
  if (const auto target = s.dead_letter_table())
    create_table(w, s, *target, style, place::dead_letter);
  return w.finish().text;
}

std::string claim_index(const table& t, const inbox::dialect& speaks,
                        bool index_in_schema) {
  const auto columns = index_columns(t);
  if (columns.empty())
    return {};
  writer w{speaks};
  w.text("CREATE INDEX IF NOT EXISTS ");
  if (index_in_schema && !t.name().schema().empty())
    w.name(t.name().schema()).text(".");
  w.name(index_name(t.name())).text(" ON ");
  index_in_schema ? w.name(t.name().name()) : w.name(t.name());
  w.text(" (").names(columns).text(")");
  // Finished rows stay in the table but not in the claims' way.
  if (const auto* c = t.find(column_role::processed_at))
    w.text(" WHERE ").name(*c).text(" IS NULL");
  return w.text(";").finish().text;
}

std::string leads_claims(const table& t, std::string_view at, int first,
                         std::string_view name) {
  std::string condition;
  for (const auto& c : lead_columns(t)) {
    condition += condition.empty() ? "(" : " OR (";
    condition.append(at).append(" = ").append(std::to_string(first++));
    condition.append(" AND ").append(name).append(" = ");
    condition += quote_text(c.name) + ")";
  }
  return condition;
}

std::vector<table_column> lead_columns(const table& t) {
  std::vector<table_column> columns;
  for (const auto role :
       {column_role::group, column_role::priority, column_role::retry_after})
    if (const auto* c = t.find(role))
      columns.push_back(*c);
  return columns;
}

std::vector<table_column> index_columns(const table& t) {
  auto columns = lead_columns(t);
  if (!columns.empty())
    columns.push_back(t.id());
  return columns;
}

std::string quote_text(std::string_view text) {
  std::string quoted{'\''};
  for (const auto c : text)
    quoted.append(c == '\'' ? 2 : 1, c);
  return quoted += '\'';
}

} // namespace inbox::sql
