#include "text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace inboxctl {

namespace {

struct shape {
  std::size_t width = 0;
  bool is_numbers = true;
};

bool is_number(const std::string& cell) {
  return cell.find_first_not_of("0123456789.-") == std::string::npos;
}

/// Characters of well-formed UTF-8, which is what the cells hold.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::count_if(
    cell.begin(), cell.end(),
    [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

shape measure(const std::vector<std::vector<std::string>>& lines,
              std::size_t column) {
  shape s;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const auto& cell = lines[line][column];
    s.width = std::max(s.width, width_of(cell));
    s.is_numbers = s.is_numbers && (line == 0 || is_number(cell));
  }
  return s;
}

} // namespace

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<shape> columns;
  for (std::size_t at = 0; at < lines.front().size(); ++at)
    columns.push_back(measure(lines, at));
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string gap(columns[at].width - width_of(line[at]), ' ');
      text += columns[at].is_numbers ? gap + line[at] : line[at] + gap;
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

} // namespace inboxctl
