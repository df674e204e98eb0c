#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "inbox/describe/describe.hpp"
#include "inbox/row.hpp"

namespace inbox {

namespace detail {

/// What a row holds for a column: at the description's position, or wherever
/// the column's name stands; nothing when the row lacks it.
std::optional<value_view> value_in(const row& from, std::size_t position,
                                   std::string_view name);

tl::unexpected<failure> refuse_missing(std::string_view column);
tl::unexpected<failure> refuse_null(std::string_view column);
/// The same failure, its message led by the column.
tl::unexpected<failure> in_column(failure why, std::string_view column);

template <class Member>
expected<void> read_member(const value_view& seen, std::string_view column,
                           Member& into) {
  using kept = plain<Member>;
  if (seen.is_null()) {
    if constexpr (kept::nullable) {
      into.reset();
      return {};
    } else {
      return refuse_null(column);
    }
  }
  auto& target = [&into]() -> typename kept::type& {
    if constexpr (kept::nullable)
      return into ? *into : into.emplace();
    else
      return into;
  }();
  auto read = inbox::column<typename kept::type>::read(seen, target);
  if (!read)
    return in_column(std::move(read).error(), column);
  return {};
}

template <class T, class Column>
expected<void> read_column(const row& from, T& into) {
  if constexpr (Column::source::has_field) {
    constexpr auto position = [] {
      std::size_t at = 0;
      while (description_of<T>::facts[at].name != Column::told.name)
        ++at;
      return at;
    }();
    const auto seen = value_in(from, position, Column::told.name);
    if (seen)
      return read_member(*seen, Column::told.name,
                         into.*(Column::source::member));
    // A claim leaves out what only a fetch reads.
    if (Column::told.role != column_role::fetched)
      return refuse_missing(Column::told.name);
  }
  return {};
}

template <class T, class... Columns>
expected<void> read_columns(const row& from, T& into,
                            std::type_identity<std::tuple<Columns...>>) {
  expected<void> read;
  ((read = read_column<T, Columns>(from, into), read.has_value()) && ...);
  return read;
}

template <class Member>
expected<value> write_member(const Member& from) {
  using kept = plain<Member>;
  if constexpr (kept::nullable)
    return from ? expected<value>{column<typename kept::type>::write(*from)}
                : expected<value>{value{}};
  else
    return column<Member>::write(from);
}

/// Writes one column's value to its place among the insert's.
template <class T, class Column>
expected<void> write_column(const T& from, std::vector<value>& into) {
  static_assert(Column::told.generated || Column::source::has_field,
                "inbox::insert_values: a column without a member has no "
                "value; give it a member or mark it generated");
  if constexpr (Column::told.generated || !Column::source::has_field) {
    return {};
  } else {
    constexpr auto position = [] {
      std::size_t at = 0;
      for (const auto& f : description_of<T>::facts) {
        if (f.name == Column::told.name)
          break;
        at += f.generated ? 0 : 1;
      }
      return at;
    }();
    auto written = write_member(from.*(Column::source::member));
    if (!written)
      return in_column(std::move(written).error(), Column::told.name);
    into[position] = *std::move(written);
    return {};
  }
}

template <class T, class... Columns>
expected<std::vector<value>>
write_columns(const T& from, std::type_identity<std::tuple<Columns...>>) {
  constexpr std::size_t count = (0 + ... + (Columns::told.generated ? 0 : 1));
  std::vector<value> values(count);
  expected<void> written;
  ((written = write_column<T, Columns>(from, values), written.has_value())
   && ...);
  if (!written)
    return tl::unexpected(std::move(written).error());
  return values;
}

} // namespace detail

/// Reads a row into a struct that exists, using its members' capacity again.
/// Members that are no columns stay as they are.
/// @returns `errc::wrong_type`, `errc::null_in_role` or `errc::schema`, naming
///          the column; the struct is then read in part.
template <described T>
expected<void> read_row_into(const row& from, T& into) {
  using columns = typename description_of<T>::columns;
  return detail::read_columns(from, into, std::type_identity<columns>{});
}

/// Reads a row, such as a claimed one, into a fresh struct.
template <described T>
expected<T> read_row(const row& from) {
  static_assert(std::is_default_constructible_v<T>,
                "inbox::read_row: the described struct has no default "
                "constructor");
  T into{};
  return read_row_into(from, into).map([&into] { return std::move(into); });
}

/// A struct's values for `insert_sql`, one for each placeholder: every column
/// the database does not fill in, in the description's order.
/// @returns `errc::wrong_type` or `errc::undecodable`, naming the column, for a
///          member no column can keep.
template <described T>
expected<std::vector<value>> insert_values(const T& from) {
  using columns = typename description_of<T>::columns;
  return detail::write_columns(from, std::type_identity<columns>{});
}

} // namespace inbox
