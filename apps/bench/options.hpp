#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// The command line.
struct options {
  std::string url;                    ///< Empty: Postgres is left out.
  std::filesystem::path dir;          ///< Where SQLite's file goes.
  std::vector<std::string> scenarios; ///< Beginnings of names; empty: all.
  std::size_t rows = 20'000;
  std::uint32_t rounds = 5;
  std::uint32_t fillfactor = 50;
  bool is_quick = false;
  bool json = false;
  bool list = false;
};

/// Reads the command line.
/// @returns the exit code instead, when the program is to end at once.
struct parsed {
  options given;
  std::optional<int> exit;
};
parsed parse(int argc, char** argv);

} // namespace bench
