#pragma once

#include "inbox/describe/description.hpp"

namespace inbox::detail {

template <class Described>
consteval void check_table() {
  static_assert(std::is_class_v<typename Described::row_type>,
                "inbox::describe: only a struct with named fields describes a "
                "table");
  static_assert(!Described::qualified.empty(),
                "inbox::describe: the table's name is empty");
  static_assert(has_one_dot_at_most(Described::qualified),
                "inbox::describe: the table's name holds more than one dot; "
                "write \"table\" or \"schema.table\"");
  static_assert(Described::qualified.empty()
                  || is_table_name(Described::qualified),
                "inbox::describe: a part of the table's name is empty; write "
                "\"table\" or \"schema.table\"");
}

/// Each role once: C-002, C-013.
template <class Described>
consteval void check_roles() {
  constexpr auto& all = Described::facts;
  using enum column_role;
  static_assert(has(all, id),
                "inbox::describe: no column has the role id; name the column "
                "that identifies a row");
  static_assert(count(all, id) < 2,
                "inbox::describe: the role id is given twice");
  static_assert(count(all, group) < 2,
                "inbox::describe: the role group is given twice");
  static_assert(count(all, partition_key) < 2,
                "inbox::describe: the role partition_key is given twice");
  static_assert(count(all, priority) < 2,
                "inbox::describe: the role priority is given twice");
  static_assert(count(all, retry_after) < 2,
                "inbox::describe: the role retry_after is given twice");
  static_assert(count(all, attempt) < 2,
                "inbox::describe: the role attempt is given twice");
  static_assert(count(all, locked_until) < 2,
                "inbox::describe: the role locked_until is given twice");
  static_assert(count(all, processed_at) < 2,
                "inbox::describe: the role processed_at is given twice");
  static_assert(count(all, headers) < 2,
                "inbox::describe: the role headers is given twice");
  static_assert(count(all, payload) < 2,
                "inbox::describe: the role payload is given twice");
}

template <class Described>
consteval void check_columns() {
  constexpr auto& all = Described::facts;
  static_assert(all_belong<typename Described::row_type>(
                  std::type_identity<typename Described::columns>{}),
                "inbox::describe: a member belongs to another struct than the "
                "one described");
  static_assert(all_kept(std::type_identity<typename Described::columns>{}),
                "inbox::describe: no column keeps this member's type; "
                "specialise inbox::column for it");
  static_assert(names_are_whole(all),
                "inbox::describe: a column's name is empty");
  static_assert(fields_differ(all),
                "inbox::describe: a member has two roles; a column plays one "
                "role");
  static_assert(names_differ(all) || !fields_differ(all),
                "inbox::describe: two columns have one name");
  static_assert(id_takes_no_null(all),
                "inbox::describe: the id is never NULL; its member is no "
                "std::optional");
}

/// C-022.
template <class Described>
consteval void check_types() {
  constexpr auto& all = Described::facts;
  using enum column_role;
  static_assert(types_fit(all, id),
                "inbox::describe: the id column takes an integer, text, bytes "
                "or a time");
  static_assert(types_fit(all, group),
                "inbox::describe: the group column takes text");
  static_assert(types_fit(all, partition_key),
                "inbox::describe: the partition_key column takes text or "
                "bytes");
  static_assert(types_fit(all, priority),
                "inbox::describe: the priority column takes a number, text or "
                "a time");
  static_assert(types_fit(all, attempt),
                "inbox::describe: the attempt column takes an integer");
  static_assert(types_fit(all, retry_after) && types_fit(all, locked_until)
                  && types_fit(all, processed_at),
                "inbox::describe: the columns retry_after, locked_until and "
                "processed_at take a time");
  static_assert(types_fit(all, headers),
                "inbox::describe: the headers column takes a JSON object, as "
                "inbox::header_map, JSON or text");
  static_assert(types_fit(all, payload),
                "inbox::describe: the payload column takes bytes, text or "
                "JSON");
}

/// C-003, C-014.
template <class Described>
consteval void check_form() {
  constexpr auto& all = Described::facts;
  constexpr auto has_lease = has(all, column_role::locked_until);
  constexpr auto has_key = Described::lock_key.has_value();
  static_assert(!has_lease || !has_key,
                "inbox::describe: locked_until makes a lease table and "
                "lock_key an advisory one; keep one of the two");
  static_assert(!has_lease || Described::clock == clock_kind::host,
                "inbox::describe: a lease reads the host's clock; remove "
                "database_clock");
  static_assert(!has_key || !has_fifo(all),
                "inbox::describe: fifo does not go with lock_key; put the "
                "group into the lock_key instead");
}

/// C-016.
template <class Described>
consteval void check_key() {
  constexpr auto pattern = Described::lock_key.value_or("");
  using enum key_step::fault_type;
  static_assert(key_is_free_of(pattern, unclosed),
                "inbox::describe: the lock_key has a { without a } after it");
  static_assert(key_is_free_of(pattern, stray),
                "inbox::describe: the lock_key has a } without a { before it");
  static_assert(key_is_free_of(pattern, empty),
                "inbox::describe: the lock_key has empty braces; write a "
                "member's name between them");
  static_assert(key_names_columns(Described::facts, pattern),
                "inbox::describe: the lock_key names no column of this "
                "description; write the name of one of its members");
}

/// What is said once at most: C-013.
template <class... Parts>
consteval void check_parts() {
  static_assert((is_part<Parts> && ...),
                "inbox::describe: an argument is none of inbox::role's");
  static_assert((0 + ... + is_lock_key<Parts>) < 2,
                "inbox::describe: lock_key is given twice");
  static_assert((0 + ... + is_clock<Parts>) < 2,
                "inbox::describe: database_clock is given twice");
  static_assert((0 + ... + is_opening<Parts>) < 2,
                "inbox::describe: opens is given twice");
}

} // namespace inbox::detail
