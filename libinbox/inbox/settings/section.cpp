#include "inbox/settings/section.hpp"

#include <algorithm>
#include <limits>

namespace inbox::settings {

namespace {

const node::members nothing;

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (const auto word : words)
    text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

} // namespace

section::section(const std::string& file, std::string name, const node& from)
  : file_{&file}, name_{std::move(name)}, line_{from.line} {
  key_ = name_.substr(name_.rfind('.') + 1);
  members_ = std::get_if<node::members>(&from.held);
  if (members_)
    return;
  members_ = &nothing;
  fault_ = fault_at(
    file, line_,
    name_ + " is a table; write [" + name_ + "] and its keys below");
}

void section::read(std::string_view key, std::string& into) {
  if (const auto* found = ask(key)) {
    if (const auto* text = std::get_if<std::string>(&found->held))
      into = *text;
    else
      refuse(key, std::string{key} + " is a string; put it in quotes");
  }
}

void section::read(std::string_view key, bool& into) {
  if (const auto* found = ask(key)) {
    if (const auto* flag = std::get_if<bool>(&found->held))
      into = *flag;
    else
      refuse(key, std::string{key} + " is true or false, without quotes");
  }
}

void section::read(std::string_view key, double& into) {
  if (const auto* found = ask(key)) {
    if (const auto* real = std::get_if<double>(&found->held))
      into = *real;
    else if (const auto* whole = std::get_if<std::int64_t>(&found->held))
      into = static_cast<double>(*whole);
    else
      refuse(key, std::string{key} + " is a number, without quotes");
  }
}

void section::read(std::string_view key, std::vector<std::string>& into) {
  const auto* found = ask(key);
  if (!found)
    return;
  const auto* list = std::get_if<node::list>(&found->held);
  const auto is_text = [](const node& element) {
    return std::holds_alternative<std::string>(element.held);
  };
  if (!list || !std::all_of(list->begin(), list->end(), is_text))
    return refuse(key, std::string{key}
                         + " is a list of strings, such as "
                           "[\"one\", \"two\"]");
  into.clear();
  for (const auto& element : *list)
    into.push_back(std::get<std::string>(element.held));
}

void section::read(std::string_view key, std::uint32_t& into,
                   std::uint32_t least) {
  const auto* found = ask(key);
  if (!found)
    return;
  const auto* number = std::get_if<std::int64_t>(&found->held);
  if (!number || *number < least
      || *number > std::numeric_limits<std::uint32_t>::max())
    return refuse(key, std::string{key} + " is a whole number, "
                         + std::to_string(least) + " or more"
                         + (number ? "; it is " + std::to_string(*number)
                                   : std::string{", without quotes"}));
  into = static_cast<std::uint32_t>(*number);
}

void section::read(std::string_view key, duration& into, duration least) {
  std::string text;
  read(key, text);
  if (!has(key) || fault_)
    return;
  const auto parsed = parse_duration(text);
  if (!parsed)
    return refuse(key, std::string{key} + ": " + parsed.error().message());
  if (*parsed < least)
    return refuse(key, std::string{key} + " is " + text + "; it is at least "
                         + to_string(least));
  into = *parsed;
}

std::vector<section> section::sections() {
  std::vector<section> inside;
  for (const auto& [key, member] : *members_) {
    legal_.push_back(key);
    inside.emplace_back(*file_, name_ + "." + key, member);
    inside.back().key_ = key;
  }
  return inside;
}

std::optional<section> section::inner(std::string_view key) {
  const auto* found = ask(key);
  if (!found)
    return std::nullopt;
  const auto name = name_.empty() ? std::string{key}
                                  : name_ + "." + std::string{key};
  return section{*file_, name, *found};
}

std::string section::where(std::string_view key) const {
  return *file_ + ":" + std::to_string(line(key));
}

void section::refuse(std::string_view key, std::string why, errc code) {
  if (!fault_)
    fault_ = fault_at(*file_, line(key), named(std::move(why)), code);
}

void section::take(expected<void> of_inner) {
  if (!of_inner && !fault_)
    fault_ = std::move(of_inner).error();
}

expected<void> section::finish() const {
  // A misspelt key first: it may be why another one seems to be missing.
  if (auto checked = check_keys(); !checked)
    return checked;
  if (fault_)
    return tl::make_unexpected(*fault_);
  return {};
}

expected<void> section::check_keys() const {
  for (const auto& [key, member] : *members_)
    if (std::find(legal_.begin(), legal_.end(), key) == legal_.end())
      return tl::make_unexpected(fault_at(
        *file_, member.line,
        named("unknown key \"" + key + "\"; legal keys: " + listed(legal_))));
  return {};
}

const node* section::find(std::string_view key) const {
  for (const auto& [name, member] : *members_)
    if (name == key)
      return &member;
  return nullptr;
}

const node* section::ask(std::string_view key) {
  legal_.push_back(key);
  return find(key);
}

std::optional<std::size_t>
section::word(std::string_view key, std::span<const std::string_view> legal) {
  std::string text;
  read(key, text);
  if (!has(key) || fault_)
    return std::nullopt;
  const auto at = std::find(legal.begin(), legal.end(), text);
  if (at != legal.end())
    return static_cast<std::size_t>(at - legal.begin());
  refuse(key, std::string{key} + " is \"" + text
                + "\"; legal values: " + listed(legal));
  return std::nullopt;
}

std::uint32_t section::line(std::string_view key) const {
  const auto* found = find(key);
  return found ? found->line : line_;
}

std::string section::named(std::string why) const {
  return name_.empty() ? why : "[" + name_ + "] " + why;
}

} // namespace inbox::settings
