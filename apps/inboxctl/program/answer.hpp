#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inbox/handler.hpp"

namespace inboxctl {

/// How a program ended and what it said on file descriptor 3.
struct program_end {
  std::optional<int> exit_code; ///< Nothing when a signal ended it.
  int signal = 0;
  std::string said; ///< The beginning of it, which is all that counts.
};

/// What an answer means, and what is odd about it.
struct program_answer {
  inbox::handled means;
  std::string warning; ///< Empty when nothing is odd.
};

/// Exit 0 is an ack, 75 a retry, 65 a drop; any other end is a failure. With
/// 75, a line "retry_after 30s" makes the retry a delayed one.
program_answer read_answer(const program_end& end);

/// How it ended, in words: "exit code 3", "signal 9 (Killed)".
std::string to_string(const program_end& end);

} // namespace inboxctl
