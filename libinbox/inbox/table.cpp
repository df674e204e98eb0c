#include "inbox/table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inbox {

namespace {

using result = expected<void>;

std::string quoted(std::string_view name) {
  return "\"" + std::string{name} + "\"";
}

auto refuse_description(std::string why) {
  return refuse(errc::invalid_description, std::move(why));
}

bool is_named(column_role role) {
  return role != column_role::data && role != column_role::fetched;
}

/// "the attempt column "tries"", "the column "subject"".
std::string words_for(const table_column& c) {
  std::string words = "the ";
  if (is_named(c.role))
    words.append(to_string(c.role)).append(" ");
  return words + "column " + quoted(c.name);
}

const table_column* find_in(const table_spec& spec, column_role role) {
  const auto plays = [role](const table_column& c) { return c.role == role; };
  const auto at = std::find_if(spec.columns.begin(), spec.columns.end(), plays);
  return at == spec.columns.end() ? nullptr : &*at;
}

result check_column_names(const table_spec& spec) {
  for (const auto& c : spec.columns) {
    if (c.name.empty())
      return refuse_description("the column with the role "
                                + std::string{to_string(c.role)}
                                + " has an empty name; give the column's name");
    if (c.name.find('\0') != std::string::npos)
      return refuse_description("a column's name holds a NUL character, after "
                                + quoted(c.name.c_str()) + "; remove it");
  }
  return {};
}

result check_roles(const table_spec& spec) {
  for (const auto role : named_roles) {
    const auto plays = [role](const table_column& c) { return c.role == role; };
    const auto first = std::find_if(spec.columns.begin(), spec.columns.end(),
                                    plays);
    if (first == spec.columns.end())
      continue;
    const auto second = std::find_if(std::next(first), spec.columns.end(),
                                     plays);
    if (second != spec.columns.end())
      return refuse_description("the role " + std::string{to_string(role)}
                                + " is given twice, to " + quoted(first->name)
                                + " and " + quoted(second->name)
                                + "; one column plays a role");
  }
  if (!find_in(spec, column_role::id))
    return refuse_description("no column has the role id; name the column that "
                              "identifies a row");
  return {};
}

result check_uses(const table_spec& spec) {
  for (auto c = spec.columns.begin(); c != spec.columns.end(); ++c)
    for (auto other = spec.columns.begin(); other != c; ++other)
      if (other->name == c->name)
        return refuse_description(
          "the column " + quoted(c->name) + " is named twice, as "
          + std::string{to_string(other->role)} + " and as "
          + std::string{to_string(c->role)} + "; a column plays one role");
  return {};
}

result check_types(const table_spec& spec) {
  for (const auto& c : spec.columns)
    if (!can_play(c.type, c.role))
      return refuse_description(
        words_for(c) + " holds " + std::string{to_string(c.type)}
        + "; that role takes " + std::string{types_of(c.role)});
  return {};
}

result check_form(const table_spec& spec) {
  const auto* lease = find_in(spec, column_role::locked_until);
  const auto* group = find_in(spec, column_role::group);
  if (lease && spec.lock_key)
    return refuse_description(words_for(*lease)
                              + " makes the table a lease table and lock_key "
                                "an advisory one; keep one of the two");
  if (lease && spec.clock == clock_kind::database)
    return refuse(errc::lease_on_database_clock,
                  words_for(*lease)
                    + " makes the table a lease table, whose "
                      "clock is the host's; remove clock = \"database\"");
  if (spec.fifo && !group)
    return refuse_description("fifo is set and no column has the role group; "
                              "name the group column whose order is kept");
  if (spec.fifo && spec.lock_key)
    return refuse_description(
      "fifo does not go with lock_key; put {" + group->name
      + "} into the lock_key instead, so that a group's rows exclude each "
        "other");
  return {};
}

result check_key(const table_spec& spec, const std::vector<key_part>& parts) {
  for (const auto& part : parts) {
    if (part.kind == key_part::kind_type::literal)
      continue;
    const auto named = [&part](const table_column& c) {
      return c.name == part.text;
    };
    if (std::none_of(spec.columns.begin(), spec.columns.end(), named))
      return refuse_description("the lock_key " + quoted(*spec.lock_key)
                                + " names {" + part.text
                                + "}, which is no column of this description; "
                                  "name one of its columns");
  }
  return {};
}

using rule = result (*)(const table_spec&);

constexpr rule rules[] = {check_column_names, check_roles, check_uses,
                          check_types, check_form};

/// Runs every rule that needs no further input.
result check_all(const table_spec& spec) {
  for (const auto check : rules)
    if (auto checked = check(spec); !checked)
      return checked;
  return {};
}

form form_of(const table_spec& spec) {
  if (find_in(spec, column_role::locked_until))
    return form::lease;
  return spec.lock_key ? form::advisory : form::row_lock;
}

template <class Refused>
auto on_table(Refused&& refused, const table_name& name) {
  return tl::make_unexpected(
    std::move(refused).error().on_table(name.qualified()));
}

} // namespace

expected<table> table::make(table_spec spec) {
  auto name = table_name::make(spec.schema, spec.name);
  if (!name)
    return tl::make_unexpected(std::move(name).error());
  if (auto checked = check_all(spec); !checked)
    return on_table(std::move(checked), *name);
  table made;
  if (spec.lock_key) {
    auto parts = parse_lock_key(*spec.lock_key);
    if (!parts)
      return on_table(std::move(parts), *name);
    if (auto checked = check_key(spec, *parts); !checked)
      return on_table(std::move(checked), *name);
    made.lock_key_ = std::move(*parts);
  }
  made.form_ = form_of(spec);
  made.name_ = std::move(*name);
  made.fifo_ = spec.fifo;
  made.clock_ = spec.clock;
  made.opens_ = spec.opens;
  made.columns_ = std::move(spec.columns);
  // The roles' order is the columns' order (C-001); data keeps its own.
  std::stable_sort(made.columns_.begin(), made.columns_.end(),
                   [](const table_column& a, const table_column& b) {
                     return a.role < b.role;
                   });
  return made;
}

std::optional<std::size_t> table::position(column_role role) const noexcept {
  const auto plays = [role](const table_column& c) { return c.role == role; };
  const auto at = std::find_if(columns_.begin(), columns_.end(), plays);
  if (at == columns_.end())
    return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

const table_column* table::find(column_role role) const noexcept {
  const auto at = position(role);
  return at ? &columns_[*at] : nullptr;
}

} // namespace inbox
