#pragma once

#include <string>

#include "inbox/driver.hpp"
#include "inbox/log.hpp"

namespace inbox::sqlite {

struct pool_settings {
  /// Sessions at most. One does all of the library's writing.
  std::uint32_t size = 8;
  /// Switch the file to write-ahead logging; otherwise its journal mode is
  /// left alone.
  bool wal = false;
  session_settings sessions{};
  /// Told of due times that are written in another form than SQLite's own or
  /// cannot be read, with the row's id and the value. Any thread.
  log_sink log{};
  /// How often waiting rows are looked at for such times, at most.
  duration time_check = 20s;
};

/// Sessions on one SQLite file, which must exist. Never opens it itself.
/// @param path_or_url a path, "sqlite:PATH" or a "file:" URI.
/// @returns a pool that holds `errc::unknown_database` for another URL, and
///          `errc::invalid_setting` for a database in memory with more than
///          one session (B53).
inbox::pool pool(std::string path_or_url, pool_settings settings = {});

} // namespace inbox::sqlite
