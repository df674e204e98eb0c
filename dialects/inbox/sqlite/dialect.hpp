#pragma once

#include <optional>

#include "inbox/dialect.hpp"
#include "inbox/sqlite/time_shape.hpp"

namespace inbox::sqlite {

/// SQLite's statements: the lease form. A claim is a SELECT followed by one
/// `stamp` for each row, in one BEGIN IMMEDIATE; settlements name one row.
class dialect final : public inbox::dialect {
public:
  explicit dialect(time_shape shape = time_shape::plain) noexcept
    : shape_{shape} {}

  std::string_view name() const noexcept override { return "sqlite"; }
  std::string quote(std::string_view identifier) const override;
  std::string placeholder(std::size_t n) const override;

  /// @returns `errc::unsupported_fifo`, `errc::unsupported_form` (also for
  ///          row locks, C-018) or `errc::unsupported_opening`.
  expected<shared_statements> build(const subscription& s) const override;

  expected<statement> insert(const table& t,
                             std::span<const std::uint16_t> columns,
                             std::size_t rows) const override;

  /// One: its statement is prepared once and costs no round trip.
  std::size_t insert_limit(std::size_t) const noexcept override { return 1; }

  expected<std::string> ddl(const subscription& s) const override;
  std::optional<index_advice> claim_index(const table& t) const override;

  /// What opens a transaction of this table for a handler (C-091). The
  /// library's own writes open by BEGIN IMMEDIATE.
  /// @returns `errc::unsupported_opening` for an isolation level.
  expected<std::string> begin(const table& t) const;

  /// Finds due times among the waiting rows that SQLite's date functions do
  /// not read, and that are therefore never due: id and value of ten at most.
  /// @returns nothing for a table without a retry_after column.
  std::optional<statement> find_unreadable_time(const table& t) const;

private:
  time_shape shape_;
};

} // namespace inbox::sqlite
