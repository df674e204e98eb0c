#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "inbox/describe/rules.hpp"

namespace inbox {

namespace detail {

/// The parts of a description that are columns, as one list.
template <class... Parts>
using columns_of = decltype(std::tuple_cat(
  std::conditional_t<is_column<Parts>, std::tuple<Parts>, std::tuple<>>{}...));

template <class... Columns>
consteval std::array<fact, sizeof...(Columns)>
facts_of(std::type_identity<std::tuple<Columns...>>) {
  return {Columns::told...};
}

/// The template of the lock key; nothing without one.
template <class... Parts>
consteval std::optional<std::string_view> key_of() {
  std::optional<std::string_view> pattern;
  const auto look = [&pattern]<class Part>(std::type_identity<Part>) {
    if constexpr (is_lock_key<Part>)
      pattern = Part::pattern;
  };
  (look(std::type_identity<Parts>{}), ...);
  return pattern;
}

template <class... Parts>
consteval opening opening_of() {
  auto way = opening::standard;
  const auto look = [&way]<class Part>(std::type_identity<Part>) {
    if constexpr (is_opening<Part>)
      way = Part::way;
  };
  (look(std::type_identity<Parts>{}), ...);
  return way;
}

template <class T, class Column>
consteval bool belongs() {
  if constexpr (Column::source::has_field)
    return std::is_base_of_v<typename Column::source::owner, T>;
  else
    return true;
}

template <class T, class... Columns>
consteval bool all_belong(std::type_identity<std::tuple<Columns...>>) {
  return (belongs<T, Columns>() && ...);
}

template <class... Columns>
consteval bool all_kept(std::type_identity<std::tuple<Columns...>>) {
  return (Columns::source::is_kept && ...);
}

} // namespace detail

/// A table's description as a constant; made by `describe`, kept in its type.
template <class T, detail::text Table, class... Parts>
struct description {
  using row_type = T;
  /// The column parts as they were declared.
  using columns = detail::columns_of<Parts...>;

  static constexpr auto qualified = Table.view();
  static constexpr std::size_t dot = detail::place_of(qualified, '.');
  static constexpr std::string_view schema = dot == std::string_view::npos
                                               ? ""
                                               : qualified.substr(0, dot);
  static constexpr std::string_view name = dot == std::string_view::npos
                                             ? qualified
                                             : qualified.substr(dot + 1);

  /// In the order of C-001.
  static constexpr auto facts = detail::in_order(
    detail::facts_of(std::type_identity<columns>{}));

  static constexpr auto lock_key = detail::key_of<Parts...>();
  static constexpr auto opens = detail::opening_of<Parts...>();
  static constexpr clock_kind clock = (detail::is_clock<Parts> || ...)
                                        ? clock_kind::database
                                        : clock_kind::host;
};

} // namespace inbox
