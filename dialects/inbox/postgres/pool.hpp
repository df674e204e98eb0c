#pragma once

#include <string>

#include "inbox/driver.hpp"

namespace inbox::postgres {

/// How a pool of Postgres sessions is kept.
struct pool_settings {
  /// Sessions at most; 2 or more, so that one stays free for settling.
  std::uint32_t size = 8;
  session_settings sessions{};
  /// Announce rows and listen for them; see `inbox::pool`.
  bool listen_notify = false;
};

/// A Postgres database by its URL, as libpq reads it:
/// `postgres://user:password@host:port/database?setting=value`. Connects to
/// nothing yet. A URL that names several hosts finds the one that takes
/// writes, unless it says otherwise (`target_session_attrs`).
inbox::pool pool(std::string url, pool_settings settings = {});

} // namespace inbox::postgres
