#include "inbox/sql/schema.hpp"

#include "inbox/sql/shared.hpp"
#include "inbox/sqlite/dialect.hpp"

namespace inbox::sqlite {

namespace {

using sql::place;

std::string type_name(const table_column& c, std::string_view when_unknown) {
  switch (c.type) {
    case column_type::unknown: return std::string{when_unknown};
    case column_type::integer:
    case column_type::boolean: return "INTEGER";
    case column_type::real: return "REAL";
    case column_type::text:
    case column_type::json:
    case column_type::time: return "TEXT";
    case column_type::bytes: return "BLOB";
  }
  return "BLOB";
}

// SQLite's own form with milliseconds, which sorts among ours.
constexpr auto due_now
  = "TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))";

std::string definition(const table_column& c, place) {
  switch (c.role) {
    // INTEGER PRIMARY KEY fills itself in, and is the row's own key.
    case column_role::id: {
      const auto type = type_name(c, "INTEGER");
      return type + (type == "INTEGER" ? "" : " NOT NULL") + " PRIMARY KEY";
    }
    case column_role::group: return type_name(c, "TEXT") + " NOT NULL";
    case column_role::partition_key: return type_name(c, "TEXT");
    case column_role::priority:
      return type_name(c, "INTEGER") + " NOT NULL DEFAULT 0";
    case column_role::retry_after: return due_now;
    case column_role::attempt: return "INTEGER NOT NULL DEFAULT 1";
    case column_role::locked_until:
    case column_role::processed_at: return "TEXT";
    case column_role::headers: return "TEXT NOT NULL DEFAULT '{}'";
    case column_role::payload: return type_name(c, "BLOB");
    case column_role::data:
    case column_role::fetched: return type_name(c, "TEXT");
  }
  return "TEXT";
}

} // namespace

expected<std::string> dialect::ddl(const subscription& s) const {
  if (const auto served = sql::check_served(s.description); !served)
    return sql::refused(served.error(), s);
  return sql::ddl(s, {.speaks = *this,
                      .definition = definition,
                      .options = "",
                      .index_in_schema = true});
}

/// Of a partial index only that of the unfinished rows serves every claim.
std::optional<index_advice> dialect::claim_index(const table& t) const {
  const auto columns = sql::lead_columns(t);
  if (columns.empty())
    return std::nullopt;
  sql::writer names{*this};
  const auto schema = t.name().schema().empty()
                        ? ""
                        : ", " + sql::quote_text(t.name().schema());
  const bool may_be_partial = t.has(column_role::processed_at);
  return index_advice{
    names.names(columns).finish().text,
    "SELECT count(*) FROM pragma_index_list(" + sql::quote_text(t.name().name())
      + schema + ") AS l WHERE " + (may_be_partial ? "" : "l.partial = 0 AND ")
      + "(SELECT count(*) FROM pragma_index_info(l.name" + schema
      + ") AS k WHERE "
      + sql::leads_claims(t, "k.seqno", 0, "k.name COLLATE NOCASE")
      + ") = " + std::to_string(columns.size()),
    sql::claim_index(t, *this, true)};
}

} // namespace inbox::sqlite
