#include "inbox/lock_key.hpp"

namespace inbox {

namespace {

auto refuse_key(std::string_view pattern, std::string_view why) {
  return refuse(errc::invalid_description, "the lock_key \""
                                             + std::string{pattern} + "\" "
                                             + std::string{why});
}

} // namespace

expected<std::vector<key_part>> parse_lock_key(std::string_view pattern) {
  std::vector<key_part> parts;
  for (auto rest = pattern; !rest.empty();) {
    const auto open = rest.find_first_of("{}");
    if (open != 0)
      parts.push_back({key_part::kind_type::literal,
                       std::string{rest.substr(0, open)}});
    if (open == std::string_view::npos)
      break;
    if (rest[open] == '}')
      return refuse_key(pattern, "has a } without a { before it; write "
                                 "{column} around a column's name");
    const auto close = rest.find_first_of("{}", open + 1);
    if (close == std::string_view::npos || rest[close] == '{')
      return refuse_key(pattern, "has a { without a } after it; write "
                                 "{column} around a column's name");
    if (close == open + 1)
      return refuse_key(pattern, "has empty braces; write the name of a "
                                 "column between them");
    parts.push_back({key_part::kind_type::column,
                     std::string{rest.substr(open + 1, close - open - 1)}});
    rest.remove_prefix(close + 1);
  }
  return parts;
}

} // namespace inbox
