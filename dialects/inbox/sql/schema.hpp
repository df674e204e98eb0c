#pragma once

#include "inbox/sql/writer.hpp"

namespace inbox::sql {

/// Which of a subscription's two tables a column belongs to.
enum class place : std::uint8_t { queue, dead_letter };

/// How one database writes a table down.
struct schema_style {
  const dialect& speaks;
  /// Type, constraints and default of a column.
  std::function<std::string(const table_column&, place)> definition;
  /// Follows the closing parenthesis of the queue's table.
  std::string options;
  /// Where a schema goes in CREATE INDEX: before the index's name, or before
  /// the table's.
  bool index_in_schema = false;
};

/// CREATE TABLE IF NOT EXISTS for queue and dead letter, and the index that
/// serves the claim's conditions and order. Each ends with a semicolon.
std::string ddl(const subscription& s, const schema_style& style);

/// CREATE INDEX IF NOT EXISTS for the claim; empty when the id alone orders it.
std::string claim_index(const table& t, const inbox::dialect& speaks,
                        bool index_in_schema);

/// What a claim index must begin with, as a condition on one of an index's
/// columns at a time: `(at = 1 AND name = 'first') OR ...`; as many of an
/// index' columns as `lead_columns(t)` has must meet it.
/// @param at the column's place in the index, @param first that of the first.
std::string leads_claims(const table& t, std::string_view at, int first,
                         std::string_view name);

/// The group and the claim's order up to the id, which may be left to the
/// index' own order among equals.
std::vector<table_column> lead_columns(const table& t);

/// A text as SQL, its single quotes doubled.
std::string quote_text(std::string_view text);

/// The columns of the advised index: group, then the claim's order; empty when
/// the id alone orders the claim.
std::vector<table_column> index_columns(const table& t);

} // namespace inbox::sql
