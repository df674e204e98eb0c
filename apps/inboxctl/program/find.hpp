#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inbox/error.hpp"

namespace inboxctl {

/// A program that was found, ready to be started.
struct program {
  std::string file;               ///< Absolute.
  std::vector<std::string> words; ///< As configured: its name, its arguments.
};

/// Looks the first of `words` up: with a slash in it relative to `folder`,
/// otherwise in PATH.
/// @returns `errc::invalid_setting` when there are no words, and
///          `errc::handler_failed` when the program is missing, a folder or
///          not executable.
inbox::expected<program> find_program(std::vector<std::string> words,
                                      const std::filesystem::path& folder);

} // namespace inboxctl
