#pragma once

#include <string>
#include <string_view>

#include "inbox/driver.hpp"
#include "inbox/log.hpp"

namespace inbox::any {

/// How a pool is kept, whichever database the URL names.
struct pool_settings {
  std::uint32_t size = 8; ///< Sessions at most; 2 or more.
  session_settings sessions{};
  bool listen_notify = false; ///< Postgres: see `inbox::pool`.
  bool wal = false;           ///< SQLite: switch the file to WAL.
  /// SQLite: told of due times in another form than its own. Any thread.
  log_sink log{};
};

/// A pool over the database that `url` names: postgres://, postgresql:// or
/// sqlite:PATH. Opens nothing.
/// @returns in `to`, `errc::unknown_database` for another scheme, naming the
///          known ones, and for a database this build leaves out.
inbox::pool pool(const std::string& url, const pool_settings& how = {});

} // namespace inbox::any
