#pragma once

#include <optional>
#include <string>
#include <vector>

namespace inboxctl {

/// A command line whose `--exec` is taken off: everything behind it belongs to
/// the program, whatever it looks like.
struct split_line {
  std::vector<std::string> words;
  std::optional<std::vector<std::string>> exec;
};

/// Splits at the first `--exec` behind the word `serve`.
split_line split_exec(std::vector<std::string> words);

/// Parses and carries out a whole command line.
/// @param words without the program's name.
/// @returns the process' exit code.
int run_command_line(std::vector<std::string> words);

} // namespace inboxctl
