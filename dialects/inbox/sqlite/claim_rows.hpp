#pragma once

#include "inbox/sqlite/served.hpp"

namespace inbox::sqlite {

/// Reads the rows one claim's SELECT finds, in claim order, typed as the
/// description says. A row's due time may show that the statements compare
/// times wrongly; then they are replaced and the rows are read again.
/// @returns the rows, not in work yet, and the limit asked for.
struct selected_rows {
  row_set::builder rows;
  std::uint32_t asked;
};
expected<selected_rows> select_rows(open_file& in, served& with,
                                    bindings values, std::uint32_t wanted);

} // namespace inbox::sqlite
