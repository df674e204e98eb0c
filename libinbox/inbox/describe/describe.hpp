#pragma once

#include "inbox/describe/check.hpp"
#include "inbox/describe/roles.hpp"
#include "inbox/table.hpp"

namespace inbox {

/// Describes a table as a constant, to be returned by a function that lies
/// beside the struct, directly after it:
///
///   consteval auto inbox_table(std::type_identity<send_email>) {
///     using namespace inbox::role;
///     return inbox::describe<send_email, "app.email_jobs">(
///       id<&send_email::job_id>(generated), group<&send_email::name>(),
///       attempt<&send_email::attempt>(generated),
///       payload<&send_email::payload, "body">());
///   }
///
/// Each broken rule is one line of compiler output.
/// @tparam Table "table" or "schema.table".
/// @param parts what `inbox::role` makes, in any order.
template <class T, detail::text Table, class... Parts>
consteval auto describe([[maybe_unused]] Parts... parts) {
  using made = description<T, Table, Parts...>;
  detail::check_parts<Parts...>();
  detail::check_table<made>();
  detail::check_roles<made>();
  detail::check_columns<made>();
  detail::check_types<made>();
  detail::check_form<made>();
  detail::check_key<made>();
  return made{};
}

/// True for a struct with an `inbox_table` function beside it.
template <class T>
inline constexpr bool is_described_v = requires {
  inbox_table(std::type_identity<T>{});
};

template <class T>
concept described = is_described_v<T>;

/// The constant description of a struct.
template <described T>
using description_of = decltype(inbox_table(std::type_identity<T>{}));

namespace detail {

/// What a constant description says, as `table::make` takes it.
table_spec to_spec(std::string_view schema, std::string_view name,
                   std::span<const fact> all,
                   std::optional<std::string_view> lock_key, clock_kind clock,
                   opening opens);

} // namespace detail

/// The run-time table; equal to the one made by hand or read from a file
/// (C-007). Every rule has been checked by the compiler already.
template <described T>
expected<table> to_table() {
  using from = description_of<T>;
  return table::make(detail::to_spec(from::schema, from::name, from::facts,
                                     from::lock_key, from::clock, from::opens));
}

} // namespace inbox
