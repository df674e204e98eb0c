#include "program/lines.hpp"

#include <algorithm>

namespace inboxctl {

void line_cutter::add(std::string_view octets) {
  while (!octets.empty()) {
    const auto newline = octets.find('\n');
    const auto room = longest - begun_.size();
    const auto take = std::min({newline, room, octets.size()});
    begun_.append(octets.substr(0, take));
    octets.remove_prefix(take);
    if (take == newline) {
      octets.remove_prefix(1);
      cut();
    } else if (begun_.size() == longest) {
      cut();
    }
  }
}

void line_cutter::finish() {
  if (!begun_.empty())
    cut();
}

void line_cutter::cut() {
  with_line_(begun_);
  begun_.clear();
}

} // namespace inboxctl
