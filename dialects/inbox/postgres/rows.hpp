#pragma once

#include "inbox/postgres/wire.hpp"

namespace inbox::postgres {

/// Every row of a result, in its order, ready to be sorted.
/// @returns `errc::wrong_type` when a cell does not read.
expected<row_set::builder> read_rows(const PGresult* result);

/// Rows inserted, updated or deleted; selected ones for a query.
std::uint64_t affected_by(const PGresult* result) noexcept;

} // namespace inbox::postgres
