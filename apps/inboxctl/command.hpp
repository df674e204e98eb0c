#pragma once

#include <functional>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "inbox/error.hpp"

#include "exit_code.hpp"
#include "reporter.hpp"

namespace inboxctl {

/// The options every command takes.
struct common_options {
  std::string config = "inboxctl.toml";
  std::optional<std::string> url; ///< Instead of the configuration's.
  bool json = false;              ///< Results as one JSON document.
};

/// What a command works with.
struct surroundings {
  const common_options& options;
  const reporter& tell;
};

/// Carries a parsed command out.
/// @returns how it ended, or the failure to complain about.
using action = std::function<inbox::expected<exit_code>(const surroundings&)>;

// Each declares one command with its options; when it is parsed, `chosen`
// becomes its action.

void add_ddl(CLI::App& to, action& chosen);
void add_enqueue(CLI::App& to, action& chosen);
void add_list(CLI::App& to, action& chosen);
/// @param rest what follows --exec on the line; nothing without it.
void add_serve(CLI::App& to, action& chosen,
               const std::optional<std::vector<std::string>>& rest);
void add_statements(CLI::App& to, action& chosen);
void add_stats(CLI::App& to, action& chosen);

} // namespace inboxctl
