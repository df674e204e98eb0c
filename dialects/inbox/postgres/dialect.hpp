#pragma once

#include "inbox/dialect.hpp"

namespace inbox::postgres {

/// Postgres' statements: the lease form, whose settlements take arrays of ids
/// that share one token and answer the ids they changed, and the row lock
/// form, whose settlements take one id in the claim's own transaction.
class dialect final : public inbox::dialect {
public:
  std::string_view name() const noexcept override { return "postgres"; }
  std::string quote(std::string_view identifier) const override;
  std::string placeholder(std::size_t n) const override;

  /// @returns `errc::unsupported_fifo`, `errc::unsupported_form`,
  ///          `errc::unsupported_opening` or `errc::identifier_too_long`.
  expected<shared_statements> build(const subscription& s) const override;

  expected<statement> insert(const table& t,
                             std::span<const std::uint16_t> columns,
                             std::size_t rows) const override;

  /// As many as the protocol has numbers for placeholders.
  std::size_t insert_limit(std::size_t columns) const noexcept override;

  expected<std::string> ddl(const subscription& s) const override;
  std::optional<index_advice> claim_index(const table& t) const override;

  /// "schema.table" as it is written, unquoted; the table alone without a
  /// schema.
  expected<std::string> channel(const table& t) const override;
  std::string_view announcement() const noexcept override {
    return "SELECT pg_notify($1, $2)";
  }
  std::string announcing_trigger(const table& t) const override;
  std::string payload_for(std::string_view group) const override;

  /// What opens a transaction of this table (C-091).
  /// @returns `errc::unsupported_opening` for what only others have.
  expected<std::string> begin(const table& t) const;

  /// Answers one row when the table has partitions or child tables, none when
  /// it is one table. A lease claim finds its rows by their place (`ctid`),
  /// which is unique within one table alone: over several it would take rows
  /// that it did not select.
  std::string find_children(const table& t) const;
};

} // namespace inbox::postgres
