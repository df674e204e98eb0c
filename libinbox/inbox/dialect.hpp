#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/statement_set.hpp"

namespace inbox {

/// What a database says of itself when its first session opens.
struct server_facts {
  std::string product; ///< "PostgreSQL", "SQLite"
  std::string version; ///< "15.20", "3.40.1"
  /// What an operator should know of how the database is set up, a sentence
  /// each. The same for every session; worth one warning each at start.
  std::vector<std::string> notes{};
};

/// An index that a table should have, for how to find and create it.
struct index_advice {
  std::string columns; ///< "\"name\", \"retry_after\"", as they are quoted
  std::string find;    ///< A query of one number: indexes that begin so.
  std::string create;  ///< CREATE INDEX IF NOT EXISTS, up to its semicolon.
};

/// Turns descriptions into a database's statements. Immutable; used at start,
/// from any thread. Decides; never talks to a database.
class dialect {
public:
  virtual ~dialect() = default;

  /// "postgres", "sqlite"
  virtual std::string_view name() const noexcept = 0;

  /// An identifier, quoted (C-030).
  virtual std::string quote(std::string_view identifier) const = 0;

  /// The `n`-th placeholder, counted from 1 (C-031).
  virtual std::string placeholder(std::size_t n) const = 0;

  /// Every statement of a subscription.
  /// @pre `check(s)` accepted it.
  /// @returns the refusal of the first statement that cannot be (C-047),
  ///          naming statement, table and fix.
  virtual expected<shared_statements> build(const subscription& s) const = 0;

  /// An insert of so many rows that write the columns at these positions of
  /// `t.columns()`, answering the new rows' ids in their order; no columns
  /// means a row of defaults alone (C-093).
  /// @pre `rows` is 1, or `insert_limit` allows it.
  virtual expected<statement> insert(const table& t,
                                     std::span<const std::uint16_t> columns,
                                     std::size_t rows) const = 0;

  /// Rows of so many columns that one insert may have, at least 1.
  virtual std::size_t insert_limit(std::size_t columns) const noexcept = 0;

  /// CREATE TABLE IF NOT EXISTS for the queue, its dead-letter table and the
  /// index its claim order wants, with defaults; ends with a semicolon each.
  virtual expected<std::string> ddl(const subscription& s) const = 0;

  /// The channel on which new rows of a table are announced.
  /// @returns `errc::identifier_too_long`, and `errc::declaration` where the
  ///          database announces nothing (C-268).
  virtual expected<std::string> channel(const table& t) const;

  /// Announces new rows: a statement of two values, the channel and the group.
  /// Empty where the database announces nothing.
  virtual std::string_view announcement() const noexcept { return {}; }

  /// Statements that make a table announce whatever is inserted, also by
  /// others than this library; empty where the database announces nothing.
  virtual std::string announcing_trigger(const table& t) const {
    (void)t;
    return {};
  }

  /// What to announce rows of a group as; empty, for any group, when the
  /// database takes none so long (B41).
  virtual std::string payload_for(std::string_view group) const {
    return std::string{group};
  }

  /// The index of the claim's conditions and order; none where the id alone
  /// orders the claim.
  virtual std::optional<index_advice> claim_index(const table& t) const {
    (void)t;
    return std::nullopt;
  }
};

} // namespace inbox
