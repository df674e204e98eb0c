#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inbox/error.hpp"

namespace inbox::settings {

/// A value of a configuration file and the line it stands in. What parses the
/// file stays behind this type.
struct node {
  struct member;
  using list = std::vector<node>;
  using members = std::vector<member>;
  /// A date or a time; no key takes one.
  struct moment {};

  std::variant<std::string, std::int64_t, double, bool, list, members, moment>
    held;
  std::uint32_t line = 0;
};

/// A key and what stands behind it.
struct node::member {
  std::string key;
  node value;
};

/// Looks up an environment variable; nothing when it is not set.
using environment
  = std::function<std::optional<std::string>(const std::string& name)>;

/// Parses TOML and replaces each ${NAME} in a string by its variable.
/// @param file what messages call the text.
/// @returns a node of members, in the file's order, or `errc::invalid_config`
///          with file and line for a syntax error and an unset variable.
expected<node> parse_tree(std::string_view text, const std::string& file,
                          const environment& variables);

/// `errc::invalid_config` at a line: "inboxctl.toml:12: ".
failure fault_at(const std::string& file, std::uint32_t line, std::string why,
                 errc code = errc::invalid_config);

} // namespace inbox::settings
