#include "inbox/lock_key.hpp"

namespace inbox {

namespace {

std::string_view words_for(key_step::fault_type fault) {
  using enum key_step::fault_type;
  switch (fault) {
    case unclosed:
      return "has a { without a } after it; write {column} around a column's "
             "name";
    case stray:
      return "has a } without a { before it; write {column} around a column's "
             "name";
    case empty:
      return "has empty braces; write the name of a column between them";
    case none: break;
  }
  return "";
}

} // namespace

expected<std::vector<key_part>> parse_lock_key(std::string_view pattern) {
  std::vector<key_part> parts;
  for (auto rest = pattern; !rest.empty();) {
    const auto step = next_key_part(rest);
    if (step.fault != key_step::fault_type::none)
      return refuse(errc::invalid_description,
                    "the lock_key \"" + std::string{pattern} + "\" "
                      + std::string{words_for(step.fault)});
    parts.push_back({step.kind, std::string{step.text}});
  }
  return parts;
}

} // namespace inbox
