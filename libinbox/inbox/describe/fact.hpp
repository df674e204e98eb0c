#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "inbox/column_type.hpp"
#include "inbox/describe/column.hpp"
#include "inbox/describe/text.hpp"
#include "inbox/form.hpp"

namespace inbox {

namespace role {

/// The database fills the column in; it is left out of inserts.
struct generated_t {};
inline constexpr generated_t generated{};

/// Of the group: its rows keep their order (C-004).
struct fifo_t {};
inline constexpr fifo_t fifo{};

} // namespace role

namespace detail {

/// What a description says of one column, as plain data: rules and writers
/// work on an array of these, so that a table costs little to compile.
struct fact {
  std::string_view name;  ///< the column's
  std::string_view field; ///< the member's; empty for a column by name alone
  column_role role = column_role::data;
  column_type type = column_type::unknown;
  bool generated = false;
  bool fifo = false;
  bool nullable = true; ///< false where the member takes no NULL
};

/// Whether each flag is one of these.
template <class... Flags>
inline constexpr bool are_flags = ((
  std::same_as<Flags,
               role::generated_t> || std::same_as<Flags, role::fifo_t>)&&...);

template <class Flag, class... Flags>
inline constexpr std::size_t times = (std::size_t{0} + ...
                                      + (std::same_as<Flag, Flags> ? 1 : 0));

/// A column given by its name alone; no member belongs to it.
template <text Name>
struct by_name {
  static constexpr auto name = Name.view();
  static constexpr std::string_view field{};
  static constexpr auto type = column_type::unknown;
  static constexpr bool nullable = true;
  static constexpr bool has_field = false;
  static constexpr bool is_kept = true;
};

/// A column given by a member, named after it or as told.
template <auto Member, text Name>
struct by_field {
  using value_type = typename member_of<decltype(Member)>::type;
  using kept = plain<std::remove_cv_t<value_type>>;
  using owner = typename member_of<decltype(Member)>::owner;

  static constexpr auto field = field_name<Member>();
  static constexpr auto name = Name.view().empty() ? field : Name.view();
  static constexpr bool nullable = kept::nullable;
  static constexpr bool has_field = true;
  static constexpr bool is_kept = column_value<typename kept::type>;
  static constexpr auto member = Member;
  static constexpr column_type type = [] {
    if constexpr (is_kept)
      return column<typename kept::type>::type;
    else
      return column_type::unknown;
  }();
};

/// One column of a description, with everything it says in its type.
template <column_role Role, class Source, class... Flags>
struct column_part {
  static_assert(are_flags<Flags...>,
                "inbox::describe: a column takes the words generated and fifo");
  static_assert(times<role::generated_t, Flags...> < 2,
                "inbox::describe: generated is said twice of one column");
  static_assert(times<role::fifo_t, Flags...> < 2,
                "inbox::describe: fifo is said twice of one column");
  static_assert(times<role::fifo_t, Flags...> == 0
                  || Role == column_role::group,
                "inbox::describe: fifo is said of a column that is not the "
                "group; it belongs to the group");

  using source = Source;
  static constexpr fact told{Source::name,
                             Source::field,
                             Role,
                             Source::type,
                             times<role::generated_t, Flags...> != 0,
                             times<role::fifo_t, Flags...> != 0,
                             Source::nullable};
};

template <text Pattern>
struct lock_key_part {
  static constexpr auto pattern = Pattern.view();
};

struct database_clock_part {};

template <opening Way>
struct opening_part {
  static constexpr auto way = Way;
};

template <class T>
inline constexpr bool is_column = false;
template <column_role Role, class Source, class... Flags>
inline constexpr bool is_column<column_part<Role, Source, Flags...>> = true;

template <class T>
inline constexpr bool is_lock_key = false;
template <text Pattern>
inline constexpr bool is_lock_key<lock_key_part<Pattern>> = true;

template <class T>
inline constexpr bool is_opening = false;
template <opening Way>
inline constexpr bool is_opening<opening_part<Way>> = true;

template <class T>
inline constexpr bool is_clock = std::same_as<T, database_clock_part>;

template <class T>
inline constexpr bool is_part
  = is_column<T> || is_lock_key<T> || is_opening<T> || is_clock<T>;

} // namespace detail

} // namespace inbox
