#pragma once

#include <cstdint>

namespace inbox::sqlite {

/// How a table's statements compare and order times. SQLite has no time type:
/// a column holds whatever its producers wrote.
///
/// `sqlite::dialect{time_shape}` builds one or the other; `plain` by default.
/// A session starts with the shape its table's content needs, and builds the
/// exact statements from `statement_set::of()` when it meets another form, so
/// both shapes bind the same meanings.
enum class time_shape : std::uint8_t {
  /// Text comparison. Right for what SQLite itself writes, with or without
  /// fractions: "2026-01-02 03:04:05.678901", "2026-01-02 03:04:05",
  /// "2026-01-02". Lets an index on the due time serve the claim's order.
  plain,
  /// Comparison by SQLite's date functions, behind a bound on the date prefix.
  /// Right for every form those functions read. A value they cannot read is
  /// never due.
  exact,
};

} // namespace inbox::sqlite
