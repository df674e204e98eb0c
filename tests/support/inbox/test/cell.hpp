#pragma once

#include <array>
#include <string_view>

namespace inbox::test {

/// A database and a form: what one body of the conformance suite runs in.
enum class cell { postgres_lease, postgres_row_lock, sqlite_lease };

inline constexpr std::array cells{cell::postgres_lease, cell::postgres_row_lock,
                                  cell::sqlite_lease};

constexpr std::string_view to_string(cell c) noexcept {
  switch (c) {
    case cell::postgres_lease: return "postgres-lease";
    case cell::postgres_row_lock: return "postgres-row-lock";
    case cell::sqlite_lease: return "sqlite-lease";
  }
  return "unknown";
}

constexpr bool is_postgres(cell c) noexcept {
  return c != cell::sqlite_lease;
}
constexpr bool is_lease(cell c) noexcept {
  return c != cell::postgres_row_lock;
}

} // namespace inbox::test
