#include "program/answer.hpp"

#include <cstring>

#include <sysexits.h>

namespace inboxctl {

namespace {

constexpr std::string_view delay_word = "retry_after ";

/// The delay asked for; nothing when the line cannot be read.
std::optional<inbox::duration> read_delay(std::string_view said) {
  if (said.ends_with('\n'))
    said.remove_suffix(1);
  if (!said.starts_with(delay_word))
    return std::nullopt;
  const auto delay = inbox::parse_duration(said.substr(delay_word.size()));
  return delay ? std::optional{*delay} : std::nullopt;
}

program_answer read_retry(const program_end& end) {
  if (end.said.empty())
    return {inbox::retry(), {}};
  if (const auto delay = read_delay(end.said))
    return {inbox::retry_after(*delay), {}};
  return {inbox::retry(),
          "file descriptor 3 holds no line like \"retry_after 30s\" but \""
            + inbox::value_view::text(end.said).to_display()
            + "\"; the row is retried at once"};
}

} // namespace

program_answer read_answer(const program_end& end) {
  if (end.exit_code == 0)
    return {inbox::ack(), {}};
  if (end.exit_code == EX_TEMPFAIL)
    return read_retry(end);
  if (end.exit_code == EX_DATAERR)
    return {inbox::drop(), {}};
  return {inbox::refuse(inbox::errc::handler_failed,
                        "the program ended with " + to_string(end)),
          {}};
}

std::string to_string(const program_end& end) {
  if (end.exit_code)
    return "exit code " + std::to_string(*end.exit_code);
  const char* name = sigdescr_np(end.signal);
  return "signal " + std::to_string(end.signal) + " ("
         + (name ? name : "unknown") + ")";
}

} // namespace inboxctl
