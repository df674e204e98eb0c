#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "inbox/describe/fact.hpp"
#include "inbox/lock_key.hpp"

/// The rules of a constant description, over plain facts. `describe` turns
/// each into one line of compiler output; `table::make` holds the same rules
/// for descriptions that come at run time.
namespace inbox::detail {

using facts = std::span<const fact>;

consteval std::size_t count(facts all, column_role role) {
  std::size_t found = 0;
  for (const auto& f : all)
    found += f.role == role ? 1 : 0;
  return found;
}

consteval bool has(facts all, column_role role) {
  return count(all, role) != 0;
}

consteval bool has_fifo(facts all) {
  for (const auto& f : all)
    if (f.fifo)
      return true;
  return false;
}

/// Whether every column of this role is of a type that can play it.
consteval bool types_fit(facts all, column_role role) {
  for (const auto& f : all)
    if (f.role == role && !can_play(f.type, role))
      return false;
  return true;
}

consteval bool names_are_whole(facts all) {
  for (const auto& f : all)
    if (f.name.empty() || holds(f.name, '\0'))
      return false;
  return true;
}

consteval bool names_differ(facts all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].name == all[j].name)
        return false;
  return true;
}

consteval bool fields_differ(facts all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!all[i].field.empty() && all[i].field == all[j].field)
        return false;
  return true;
}

consteval bool id_takes_no_null(facts all) {
  for (const auto& f : all)
    if (f.role == column_role::id && !f.field.empty() && f.nullable)
      return false;
  return true;
}

/// "table" or "schema.table", no part empty.
consteval bool is_table_name(std::string_view name) {
  const auto dot = place_of(name, '.');
  return !name.empty() && dot != 0 && dot != name.size() - 1
         && !holds(name, '\0');
}

consteval bool has_one_dot_at_most(std::string_view name) {
  return place_of(name, '.') == name.rfind('.');
}

/// The name of the column a placeholder names: by its member, or by its own
/// name where it has no member (C-016). Empty when there is none.
constexpr std::string_view named_in_key(facts all,
                                        std::string_view placeholder) {
  for (const auto& f : all)
    if ((f.field.empty() ? f.name : f.field) == placeholder)
      return f.name;
  return {};
}

consteval bool key_is_free_of(std::string_view pattern,
                              key_step::fault_type fault) {
  for (auto rest = pattern; !rest.empty();) {
    const auto step = next_key_part(rest);
    if (step.fault != key_step::fault_type::none)
      return step.fault != fault;
  }
  return true;
}

/// Also that no column named so has a brace in its own name, which a template
/// could not spell.
consteval bool key_names_columns(facts all, std::string_view pattern) {
  for (auto rest = pattern; !rest.empty();) {
    const auto step = next_key_part(rest);
    if (step.fault != key_step::fault_type::none)
      return true; // another rule's
    if (step.kind != key_part::kind_type::column)
      continue;
    const auto named = named_in_key(all, step.text);
    if (named.empty() || holds(named, '{') || holds(named, '}'))
      return false;
  }
  return true;
}

/// In the order of C-001: by role, columns of one role as they were declared.
template <std::size_t N>
consteval std::array<fact, N> in_order(std::array<fact, N> all) {
  for (std::size_t i = 1; i < N; ++i)
    for (auto j = i; j > 0 && all[j].role < all[j - 1].role; --j) {
      const auto moved = all[j];
      all[j] = all[j - 1];
      all[j - 1] = moved;
    }
  return all;
}

} // namespace inbox::detail
