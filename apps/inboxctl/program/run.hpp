#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "program/answer.hpp"
#include "program/lines.hpp"
#include "program/spawner.hpp"

namespace inboxctl {

/// Who ended a program.
enum class ending : std::uint8_t {
  by_itself,
  stopped,   ///< We did, since a stop was requested.
  timed_out, ///< We did, since it ran too long.
};

struct run_result {
  program_end end;
  ending why = ending::by_itself;
  std::string output; ///< What `keep_output` kept.
};

/// How one program is watched.
struct run_settings {
  /// Ended when it runs longer; zero means it may run for ever.
  inbox::duration timeout{};
  /// Between SIGTERM and SIGKILL.
  inbox::duration grace = std::chrono::seconds{2};
  /// Keep standard output, up to 16 MiB of it, instead of `output_line`.
  bool keep_output = false;
  std::function<void(std::string_view)> output_line;
  std::function<void(std::string_view)> error_line;
};

/// Waits until a program has ended and collects what it says. On a stop, or
/// when its time is up, its process group gets SIGTERM and, when it has not
/// ended within the grace, SIGKILL. Blocks the calling thread.
run_result run_to_end(running_program started, const run_settings& how,
                      std::stop_token stop);

} // namespace inboxctl
