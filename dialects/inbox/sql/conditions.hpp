#pragma once

#include "inbox/sql/writer.hpp"

namespace inbox::sql {

/// Whether a settlement names one row or an array of them.
enum class rows : std::uint8_t { one, many };

// Conditions. Each is empty where the table has no column for it. The pieces
// refer to the table, which outlives them.

/// `group = ?`: a NULL group belongs to no named queue (B10).
piece of_group(const table& t);

/// `processed_at IS NULL`.
piece not_processed(const table& t);

/// `(locked_until IS NULL OR locked_until <= ?)`: free, or its lease ended.
piece not_leased(const table& t);

/// `id = ?`, or `id = ANY(?)`.
piece has_id(const table& t, rows which);

/// What the row must still hold for a write to be ours: the lease end and,
/// where the table counts attempts, the count; an end can repeat, the pair
/// cannot. Empty in the row lock form.
piece has_token(const table& t);
piece has_attempt(const table& t);

// Assignments.

/// `column = value`; empty where the column is null or the value is empty.
piece assign(const table_column* to, piece value);

/// `locked_until = NULL`, in the lease form.
piece no_lease(const table& t);

// Expressions.

piece literal(std::string sql);
piece bound(param::meaning what);
piece named(const table_column* c);

} // namespace inbox::sql
