#pragma once

#include <cstdint>
#include <string_view>

namespace inbox {

/// How a table's rows are held while they are in work.
enum class form : std::uint8_t {
  row_lock, ///< By a lock of the claim's open transaction.
  lease,    ///< By an expiry in `locked_until`, committed at once.
  advisory, ///< By a lock on the row's key, kept by a session.
};

constexpr std::string_view to_string(form f) noexcept {
  switch (f) {
    case form::row_lock: return "row lock";
    case form::lease: return "lease";
    case form::advisory: return "advisory";
  }
  return "unknown";
}

/// Whose clock a table's statements read.
enum class clock_kind : std::uint8_t {
  host,     ///< The process'; what it read is bound as a value.
  database, ///< The database's, within the statement.
};

/// How the transactions opened for a delivery's work begin.
enum class opening : std::uint8_t {
  standard, ///< As the database is set up.
  read_uncommitted,
  read_committed,
  repeatable_read,
  serializable,
  deferred,  ///< SQLite
  immediate, ///< SQLite
  exclusive, ///< SQLite
};

constexpr std::string_view to_string(opening o) noexcept {
  switch (o) {
    case opening::standard: return "standard";
    case opening::read_uncommitted: return "read_uncommitted";
    case opening::read_committed: return "read_committed";
    case opening::repeatable_read: return "repeatable_read";
    case opening::serializable: return "serializable";
    case opening::deferred: return "deferred";
    case opening::immediate: return "immediate";
    case opening::exclusive: return "exclusive";
  }
  return "unknown";
}

} // namespace inbox
