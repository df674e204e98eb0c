#pragma once

#include <string>

#include "inbox/handler.hpp"
#include "inbox/log.hpp"

#include "program/find.hpp"
#include "program/input.hpp"
#include "program/run.hpp"
#include "program/spawner.hpp"

namespace inboxctl {

/// One run of a program for one or several rows of a queue, watched from its
/// start to its end; what it prints is logged with its queue and ids.
class program_call {
public:
  /// @param ids of its rows, for the log.
  program_call(const inbox::subscription& of, std::string ids,
               const inbox::log_sink& log, const inbox::stop_signal& asked)
    : of_{of}, ids_{std::move(ids)}, log_{log}, asked_{asked} {}

  /// @param keep_output collect standard output instead of logging it.
  /// @returns how it ended by itself, or the failure that it was ended: by
  ///          the queue's time-out, or since it was told to.
  inbox::expected<run_result> run(const program& what,
                                  const program_input& input, spawner& spawns,
                                  bool keep_output = false) const;

  void warn(std::string text) const;

private:
  run_settings watching(bool keep_output) const;
  inbox::failure timed_out(const program_end& end) const;
  inbox::failure stopped(const program_end& end) const;
  void tell_line(const char* stream, std::string_view line) const;
  void tell(inbox::log_level level, std::string text, const char* stream) const;

  const inbox::subscription& of_;
  std::string ids_;
  const inbox::log_sink& log_;
  const inbox::stop_signal& asked_;
};

} // namespace inboxctl
