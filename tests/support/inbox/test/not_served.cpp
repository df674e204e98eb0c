#include "inbox/test/not_served.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace inbox::test {

not_served_list::not_served_list(const std::string& file) {
  std::ifstream in{file};
  if (!in)
    throw std::runtime_error{"cannot read " + file};
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.front() == '#')
      continue;
    std::istringstream words{text};
    line l;
    words >> l.number >> l.where >> std::ws;
    std::getline(words, l.reason);
    if (l.reason.empty())
      throw std::runtime_error{file + ": no reason in \"" + text + "\""};
    lines_.push_back(std::move(l));
  }
}

std::optional<std::string> not_served_list::reason(std::string_view number,
                                                   cell where) const {
  for (const auto& l : lines_)
    if (l.number == number && (l.where == "all" || l.where == to_string(where)))
      return l.reason;
  return std::nullopt;
}

const not_served_list& not_served() {
  static const not_served_list list{INBOX_NOT_SERVED};
  return list;
}

} // namespace inbox::test
