#pragma once

#include <span>

#include "inbox/postgres/prepared.hpp"
#include "inbox/postgres/wire.hpp"
#include "inbox/trip.hpp"

namespace inbox::postgres {

/// What the placeholders of one execution stand for.
struct bindings {
  const subscription& of;
  time_point now;
  /// The lease end an extension or a claim writes.
  time_point lease_end{};
  std::uint32_t limit = 1;
  duration delay{};
  /// Where a marked claim begins; at the first row without.
  std::optional<time_point> since{};
  /// What the rows must still hold; null in the row lock form and in claims.
  const token* held = nullptr;
  /// The rows concerned; one where the statement takes one.
  std::span<const value_view> ids{};
};

/// The parameters of `s` in the order of its placeholders.
/// @returns `errc::wrong_type` when a value does not fit the type the server
///          wants, `errc::statement` when the meanings are not as many as the
///          placeholders.
expected<arguments> bind(const statement& s, const prepared& how,
                         const bindings& what);

/// Whether the statement takes many rows at once.
bool takes_many(const statement& s) noexcept;

/// Whether the types the server reports can hold what the placeholders and
/// the columns mean.
/// @returns `errc::schema` naming the column and both types.
expected<void> check_types(const statement& s, const prepared& how,
                           const table& of);

} // namespace inbox::postgres
