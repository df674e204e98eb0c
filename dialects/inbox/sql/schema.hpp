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

/// The columns of the advised index: group, then the claim's order; empty when
/// the id alone orders the claim.
std::vector<table_column> index_columns(const table& t);

} // namespace inbox::sql
