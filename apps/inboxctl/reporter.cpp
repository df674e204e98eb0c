#include "reporter.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "json_text.hpp"
#include "octets.hpp"

namespace inboxctl {

using inbox::log_entry;

namespace {

/// key=value, the value as a JSON string where it has spaces or quotes.
std::string field_text(const std::string& name, const std::string& value) {
  const bool plain = !value.empty()
                     && value.find_first_of(" \"=\\") == std::string::npos
                     && value == printable(value);
  return " " + name + "=" + (plain ? value : json_string(value));
}

std::string to_line(const log_entry& entry) {
  auto line = inbox::to_rfc3339(inbox::host_now()) + " "
              + std::string{to_string(entry.level)} + " "
              + printable(entry.text);
  for (const auto& [name, value] : entry.fields)
    line += field_text(name, value);
  return line;
}

std::string to_json_line(const log_entry& entry) {
  auto object = json::object();
  object["time"] = inbox::to_rfc3339(inbox::host_now());
  object["level"] = to_string(entry.level);
  object["text"] = entry.text;
  for (const auto& [name, value] : entry.fields)
    object[name] = value;
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

reporter::reporter(settings how)
  : how_{how},
    out_{std::make_shared<spdlog::logger>(
      "inboxctl", std::make_shared<spdlog::sinks::stderr_sink_mt>())} {
  // The line is ours; spdlog keeps lines of several threads apart.
  out_->set_pattern("%v");
  out_->flush_on(spdlog::level::trace);
}

void reporter::write(const log_entry& entry) const {
  out_->info(how_.as_json ? to_json_line(entry) : to_line(entry));
}

void reporter::log(const log_entry& entry) const {
  if (entry.level >= how_.level)
    write(entry);
}

inbox::log_sink reporter::sink() const {
  return [self = *this](const log_entry& entry) { self.log(entry); };
}

void reporter::say(const std::string& line) const {
  if (how_.as_json)
    write({inbox::log_level::info, line, {}});
  else
    out_->info(line);
}

void reporter::complain(const std::string& why) const {
  if (how_.as_json)
    write({inbox::log_level::error, why, {}});
  else
    out_->info("inboxctl: " + printable(why));
}

} // namespace inboxctl
