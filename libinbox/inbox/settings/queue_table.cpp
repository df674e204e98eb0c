#include <algorithm>
#include <array>
#include <utility>

#include "inbox/settings/queue.hpp"

namespace inbox::settings {

namespace {

constexpr std::array<std::pair<std::string_view, clock_kind>, 2> clocks{{
  {"host", clock_kind::host},
  {"database", clock_kind::database},
}};

constexpr std::array<std::pair<std::string_view, opening>, 4> isolations{{
  {"read_uncommitted", opening::read_uncommitted},
  {"read_committed", opening::read_committed},
  {"repeatable_read", opening::repeatable_read},
  {"serializable", opening::serializable},
}};

constexpr std::array<std::pair<std::string_view, opening>, 3> modes{{
  {"deferred", opening::deferred},
  {"immediate", opening::immediate},
  {"exclusive", opening::exclusive},
}};

void read_name(section& in, table_spec& spec) {
  std::string qualified;
  in.read("table", qualified);
  if (!in.has("table"))
    return in.refuse("table",
                     "the key table is missing; name the table, as "
                     "in table = \"email_jobs\"",
                     errc::invalid_config);
  const auto name = table_name::parse(qualified);
  if (!name)
    return in.refuse("table", "table: " + name.error().message(),
                     name.error().code());
  spec.schema = name->schema();
  spec.name = name->name();
}

void read_opening(section& in, table_spec& spec) {
  in.read("isolation", spec.opens, isolations);
  in.read("mode", spec.opens, modes);
  if (in.has("isolation") && in.has("mode"))
    in.refuse("mode", "isolation and mode are both set; isolation is for "
                      "servers and mode for SQLite, keep one");
}

table_column* find_column(table_spec& spec, std::string_view name) {
  const auto at = std::find_if(
    spec.columns.begin(), spec.columns.end(),
    [name](const table_column& c) { return c.name == name; });
  return at == spec.columns.end() ? nullptr : &*at;
}

void read_roles(section& columns, table_spec& spec) {
  for (const auto role : named_roles) {
    std::optional<std::string> name;
    columns.read(to_string(role), name);
    if (name && find_column(spec, *name))
      columns.refuse(to_string(role),
                     "the column \"" + *name + "\" already has the role "
                       + std::string{to_string(find_column(spec, *name)->role)}
                       + "; a column plays one role",
                     errc::invalid_description);
    else if (name)
      spec.columns.push_back({std::move(*name), role});
  }
  columns.read("fifo", spec.fifo);
}

void read_data(section& in, table_spec& spec) {
  std::vector<std::string> data;
  in.read("data", data);
  for (auto& name : data)
    if (find_column(spec, name))
      in.refuse("data",
                "data names \"" + name
                  + "\", which is named already; "
                    "list the columns beside the roles, each once",
                errc::invalid_description);
    else
      spec.columns.push_back({std::move(name), column_role::data});
}

/// Marks generated columns; one nobody named is a data column where the file
/// leaves those to the database.
void read_generated(section& columns, table_spec& spec, bool all_columns) {
  std::vector<std::string> generated;
  columns.read("generated", generated);
  for (auto& name : generated) {
    auto* c = find_column(spec, name);
    if (c && c->generated)
      columns.refuse("generated", "generated names \"" + name + "\" twice");
    else if (c)
      c->generated = true;
    else if (all_columns)
      spec.columns.push_back({std::move(name), column_role::data, true});
    else
      columns.refuse("generated",
                     "generated names \"" + name
                       + "\", which is no column of this queue; "
                         "name one with a role or in data",
                     errc::invalid_description);
  }
}

/// A placeholder may name any column; where the file lists no data columns, a
/// new one is named that way.
void read_key_columns(section& in, table_spec& spec) {
  if (!spec.lock_key || in.has("data"))
    return;
  const auto parts = parse_lock_key(*spec.lock_key);
  if (!parts)
    return in.refuse("lock_key", parts.error().message(), parts.error().code());
  for (const auto& part : *parts)
    if (part.kind == key_part::kind_type::column
        && !find_column(spec, part.text))
      spec.columns.push_back({part.text, column_role::data});
}

bool has_role(const table_spec& spec, column_role role) {
  return std::any_of(spec.columns.begin(), spec.columns.end(),
                     [role](const table_column& c) { return c.role == role; });
}

} // namespace

table_spec read_table(section& in, bool& all_columns) {
  table_spec spec;
  read_name(in, spec);
  in.read("lock_key", spec.lock_key);
  in.read("clock", spec.clock, clocks);
  read_opening(in, spec);
  auto columns = in.inner("columns");
  if (columns)
    read_roles(*columns, spec);
  all_columns = !in.has("data") && !has_role(spec, column_role::payload);
  read_data(in, spec);
  if (columns) {
    read_generated(*columns, spec, all_columns);
    in.take(columns->finish());
  }
  read_key_columns(in, spec);
  return spec;
}

} // namespace inbox::settings
