#pragma once

#include <memory>
#include <string>

#include "inbox/error.hpp"
#include "inbox/log.hpp"

namespace spdlog {
class logger;
}

namespace inboxctl {

/// Tells things on stderr: log lines as text or as JSON, one a line, and the
/// lines that are always told. Any thread.
class reporter {
public:
  struct settings {
    inbox::log_level level = inbox::log_level::info;
    bool as_json = false;
  };

  explicit reporter(settings how);

  /// Told when the level allows it.
  void log(const inbox::log_entry& entry) const;

  /// The same as a sink that keeps the reporter's inside alive.
  inbox::log_sink sink() const;

  /// Told at every level, as it stands.
  void say(const std::string& line) const;

  /// Why a command ends without success, in one line.
  void complain(const std::string& why) const;

private:
  void write(const inbox::log_entry& entry) const;

  settings how_;
  std::shared_ptr<spdlog::logger> out_;
};

} // namespace inboxctl
