#include "command_line.hpp"

#include <algorithm>
#include <iostream>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "command.hpp"

namespace inboxctl {

namespace {

constexpr auto about
  = "Serves and operates task queues kept in a service's own SQL tables.";

constexpr auto example
  = "Example:\n"
    "  inboxctl ddl | psql mail          # the tables a configuration names\n"
    "  inboxctl enqueue emails --payload '{\"to\":\"ada@example.org\"}'\n"
    "  inboxctl serve emails --exec ./send-mail\n"
    "Each command shows its own with --help.";

struct log_options {
  std::string level = "info";
  bool json = false;
};

void add_common(CLI::App& to, common_options& common, log_options& logs) {
  to.add_option("--config", common.config, "Configuration file")
    ->capture_default_str()
    ->type_name("FILE");
  to.add_option("--db", common.url, "Database, instead of the configuration's")
    ->type_name("URL");
  to.add_flag("--json", common.json, "Print results as one JSON document");
  to.add_option("--log-level", logs.level, "Least level that is logged")
    ->capture_default_str()
    ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  to.add_flag("--log-json", logs.json, "Log one JSON object a line");
}

reporter::settings read(const log_options& logs) {
  using inbox::log_level;
  for (const auto level :
       {log_level::debug, log_level::info, log_level::warning})
    if (logs.level == to_string(level))
      return {level, logs.json};
  return {log_level::error, logs.json};
}

/// The text without what may be a URL's user and password: all behind "://",
/// and in a word with an @ what follows its first colon.
std::string without_secrets(std::string text) {
  if (const auto at = text.find("://"); at != std::string::npos)
    return text.substr(0, at) + "://***";
  for (auto at = text.find(':'); at != std::string::npos;
       at = text.find(':', at + 1)) {
    const auto end = std::min(text.find(' ', at), text.size());
    if (text.find('@', at) < end)
      text.replace(at + 1, end - at - 1, "***");
  }
  return text;
}

std::string one_safe_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return without_secrets(std::move(text));
}

/// What is wrong with a command line.
int refuse_line(const CLI::App& app, const CLI::ParseError& wrong) {
  const auto chosen = app.get_subcommands();
  auto text = one_safe_line(wrong.what());
  // CLI11 misses a command before it looks at the words that are none.
  if (const auto words = app.remaining(); chosen.empty() && !words.empty())
    text = "there is no command \"" + one_safe_line(words.front()) + "\"";
  std::cerr << "inboxctl: " << text << "; see inboxctl "
            << (chosen.empty() ? "" : chosen.front()->get_name() + " ")
            << "--help\n";
  return static_cast<int>(exit_code::refused);
}

int carry_out(const action& chosen, const common_options& common,
              const log_options& logs) {
  const reporter tell{read(logs)};
  const auto ended = chosen({common, tell});
  if (!ended) {
    tell.complain(ended.error().to_string());
    return static_cast<int>(to_exit_code(ended.error().code()));
  }
  // A reader of our output that has gone, or a full disk, is no success.
  if (!std::cout.flush()) {
    tell.complain("the results could not be written to standard output");
    return static_cast<int>(exit_code::failed);
  }
  return static_cast<int>(*ended);
}

} // namespace

split_line split_exec(std::vector<std::string> words) {
  const auto serve = std::find(words.begin(), words.end(), "serve");
  const auto exec = std::find(serve, words.end(), "--exec");
  if (exec == words.end())
    return {std::move(words), std::nullopt};
  std::vector<std::string> program(exec + 1, words.end());
  words.erase(exec, words.end());
  return {std::move(words), std::move(program)};
}

int run_command_line(std::vector<std::string> words) {
  auto line = split_exec(std::move(words));
  common_options common;
  log_options logs;
  action chosen;
  CLI::App app{about, "inboxctl"};
  app.footer(example);
  app.require_subcommand(1);
  add_common(app, common, logs);
  add_serve(app, chosen, line.exec);
  add_enqueue(app, chosen);
  add_stats(app, chosen);
  add_list(app, chosen);
  add_ddl(app, chosen);
  add_statements(app, chosen);
  // The common options may stand anywhere, also behind the command.
  for (auto* command : app.get_subcommands({}))
    command->fallthrough();
  try {
    // CLI11 takes the words from the back.
    std::reverse(line.words.begin(), line.words.end());
    app.parse(std::move(line.words));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& wrong) {
    return refuse_line(app, wrong);
  }
  return carry_out(chosen, common, logs);
}

} // namespace inboxctl
