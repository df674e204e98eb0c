#pragma once

#include "inbox/describe/fact.hpp"

/// What `describe` takes. A column is given by a member, named after it or as
/// told, or by its name alone: `id<&job::job_id>()`, `payload<&job::text,
/// "body">()`, `group<"name">()`. Each takes `generated`, the group `fifo`.
namespace inbox::role {

/// Names the row; the one role every table needs.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto id(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::id, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto id(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::id, source, Flags...>{};
}

/// The queue a row belongs to; with `fifo` its rows keep their order.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto group(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::group, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto group(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::group, source, Flags...>{};
}

/// Rows of one key keep their order on one worker.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto partition_key(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::partition_key, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto partition_key(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::partition_key, source, Flags...>{};
}

/// A smaller value is claimed first.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto priority(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::priority, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto priority(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::priority, source, Flags...>{};
}

/// The row is due from this instant on.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto retry_after(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::retry_after, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto retry_after(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::retry_after, source, Flags...>{};
}

/// Counts deliveries; 1 in a fresh row.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto attempt(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::attempt, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto attempt(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::attempt, source, Flags...>{};
}

/// The lease; it makes the table one of the lease form.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto locked_until(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::locked_until, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto locked_until(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::locked_until, source, Flags...>{};
}

/// Set when the row is finished; without it, it is deleted.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto processed_at(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::processed_at, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto processed_at(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::processed_at, source, Flags...>{};
}

/// A JSON object of strings.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto headers(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::headers, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto headers(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::headers, source, Flags...>{};
}

/// The message; without it the queue is in row mode.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto payload(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::payload, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto payload(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::payload, source, Flags...>{};
}

/// A column of the service's own.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto data(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::data, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto data(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::data, source, Flags...>{};
}

/// A column of the service's own that only a fetch reads.
template <auto Member, detail::text Name = "", class... Flags>
requires detail::field<Member>
consteval auto fetched(Flags...) {
  using source = detail::by_field<Member, Name>;
  return detail::column_part<column_role::fetched, source, Flags...>{};
}
template <detail::text Name, class... Flags>
consteval auto fetched(Flags...) {
  using source = detail::by_name<Name>;
  return detail::column_part<column_role::fetched, source, Flags...>{};
}

/// What rows exclude each other by; makes the table one of the advisory form.
/// {name} stands for a member's value, or a column's given by name alone.
template <detail::text Pattern>
consteval auto lock_key() {
  return detail::lock_key_part<Pattern>{};
}

/// The statements read the database's clock instead of the host's.
inline constexpr detail::database_clock_part database_clock{};

/// How the transactions opened for a delivery's work begin.
template <opening Way>
consteval auto opens() {
  return detail::opening_part<Way>{};
}

} // namespace inbox::role
