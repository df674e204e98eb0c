#pragma once

#include <string>
#include <string_view>

#include "inbox/error.hpp"

namespace inbox::sqlite {

/// Where a database lies.
struct location {
  std::string name;       ///< A path, ":memory:" or a "file:" URI.
  bool is_uri = false;    ///< SQLite reads the name as a URI.
  bool in_memory = false; ///< It lives no longer than its connections.
};

/// Reads a path, "sqlite:PATH", "sqlite:///PATH" or "file:...".
/// @returns `errc::unknown_database` for another scheme or an empty path.
expected<location> parse_location(std::string_view path_or_url);

/// Looks at the file before SQLite does, which would create a missing one,
/// wait for ever on a FIFO and name no cause.
/// @returns `errc::connect`, saying what is wrong with the file.
expected<void> check_file(const location& where);

} // namespace inbox::sqlite
