#include "inbox/settings/tree.hpp"

#include <algorithm>
#include <utility>

// Header-only and without exceptions, whatever the package prefers: a user of
// the library needs no toml++ (only this file includes it).
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace inbox::settings {

namespace {

/// Copies toml++'s tree into ours; keeps the first fault.
class tree_copier {
public:
  tree_copier(const std::string& file, const environment& variables)
    : file_{file}, variables_{variables} {}

  node copy(const toml::node& from) {
    node to;
    to.line = from.source().begin.line;
    if (const auto* text = from.as_string())
      to.held = filled(text->get(), to.line);
    else if (const auto* number = from.as_integer())
      to.held = number->get();
    else if (const auto* real = from.as_floating_point())
      to.held = real->get();
    else if (const auto* flag = from.as_boolean())
      to.held = flag->get();
    else if (const auto* array = from.as_array())
      to.held = copy_list(*array);
    else if (const auto* table = from.as_table())
      to.held = copy_members(*table);
    else
      to.held = node::moment{};
    return to;
  }

  const std::optional<failure>& fault() const { return fault_; }

private:
  node::list copy_list(const toml::array& from) {
    node::list to;
    for (const auto& element : from)
      to.push_back(copy(element));
    return to;
  }

  /// Back in the file's order: toml++ sorts by name.
  node::members copy_members(const toml::table& from) {
    node::members to;
    std::vector<std::pair<toml::source_position, std::size_t>> order;
    for (const auto& [key, value] : from) {
      order.emplace_back(key.source().begin, to.size());
      to.push_back({std::string{key.str()}, copy(value)});
      to.back().value.line = key.source().begin.line;
    }
    std::stable_sort(order.begin(), order.end());
    node::members sorted;
    for (const auto& [where, at] : order)
      sorted.push_back(std::move(to[at]));
    return sorted;
  }

  /// `text` with each ${NAME} replaced.
  std::string filled(std::string_view text, std::uint32_t line) {
    std::string out;
    for (auto rest = text; !rest.empty();) {
      const auto open = rest.find("${");
      out += rest.substr(0, open);
      if (open == std::string_view::npos)
        break;
      const auto close = rest.find('}', open);
      if (close == std::string_view::npos || close == open + 2) {
        refuse_at(line, "a string holds ${ without a variable's name and }; "
                        "write ${NAME}");
        break;
      }
      out += variable(std::string{rest.substr(open + 2, close - open - 2)},
                      line);
      rest.remove_prefix(close + 1);
    }
    return out;
  }

  std::string variable(const std::string& name, std::uint32_t line) {
    if (auto value = variables_(name))
      return *std::move(value);
    refuse_at(line, "the environment variable " + name
                      + " is not set; set it or write the value itself");
    return {};
  }

  void refuse_at(std::uint32_t line, std::string why) {
    if (!fault_)
      fault_ = fault_at(file_, line, std::move(why));
  }

  const std::string& file_;
  const environment& variables_;
  std::optional<failure> fault_;
};

} // namespace

expected<node> parse_tree(std::string_view text, const std::string& file,
                          const environment& variables) {
  const auto parsed = toml::parse(text, file);
  if (!parsed) {
    const auto& error = parsed.error();
    return tl::make_unexpected(
      fault_at(file, error.source().begin.line,
               "not readable as TOML: " + std::string{error.description()}));
  }
  tree_copier copier{file, variables};
  auto root = copier.copy(parsed.table());
  if (copier.fault())
    return tl::make_unexpected(*copier.fault());
  return root;
}

failure fault_at(const std::string& file, std::uint32_t line, std::string why,
                 errc code) {
  return failure{code,
                 file + ":" + std::to_string(line) + ": " + std::move(why)};
}

} // namespace inbox::settings
