#include "program/call.hpp"

#include "octets.hpp"

namespace inboxctl {

using inbox::errc;
using inbox::expected;
using inbox::failure;
using inbox::log_level;
using inbox::stop_reason;

expected<run_result> program_call::run(const program& what,
                                       const program_input& input,
                                       spawner& spawns,
                                       bool keep_output) const {
  auto started = spawns.start(what, input);
  if (!started)
    return tl::unexpected{std::move(started.error())};
  auto ran = run_to_end(std::move(*started), watching(keep_output),
                        asked_.token());
  if (ran.why == ending::timed_out)
    return tl::unexpected{timed_out(ran.end)};
  if (ran.why == ending::stopped)
    return tl::unexpected{stopped(ran.end)};
  return ran;
}

run_settings program_call::watching(bool keep_output) const {
  run_settings how;
  how.timeout = of_.settings.timeout;
  how.keep_output = keep_output;
  how.output_line = [this](auto line) { tell_line("stdout", line); };
  how.error_line = [this](auto line) { tell_line("stderr", line); };
  return how;
}

failure program_call::timed_out(const program_end& end) const {
  return {errc::handler_failed,
          "the program ran longer than the queue's timeout of "
            + inbox::to_string(of_.settings.timeout) + " and was ended with "
            + to_string(end)};
}

failure program_call::stopped(const program_end& end) const {
  if (asked_.why() == stop_reason::timed_out)
    return timed_out(end);
  // Whatever it answered: the service gives the row back where it is still
  // ours, and warns where it is not.
  if (asked_.why() == stop_reason::lease_lost)
    tell(log_level::info,
         "the lease was lost; the program was ended with " + to_string(end),
         nullptr);
  else
    warn("the program had not finished when the service stopped; it was ended "
         "with "
         + to_string(end) + " and its row goes back");
  return {errc::closed, "the program was told to end"};
}

void program_call::warn(std::string text) const {
  tell(log_level::warning, std::move(text), nullptr);
}

void program_call::tell_line(const char* stream, std::string_view line) const {
  tell(log_level::info, printable(line), stream);
}

void program_call::tell(log_level level, std::string text,
                        const char* stream) const {
  inbox::log_entry entry{level, std::move(text), {}};
  entry.fields.emplace_back("queue", of_.name);
  entry.fields.emplace_back("id", ids_);
  if (stream)
    entry.fields.emplace_back("stream", stream);
  log_(entry);
}

} // namespace inboxctl
