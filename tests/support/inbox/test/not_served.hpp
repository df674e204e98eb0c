#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/test/cell.hpp"

namespace inbox::test {

/// What `tests/not_served.txt` lists: promises that a cell does not serve, and
/// why. A line is NUMBER CELL REASON; the cell "all" stands for every cell.
class not_served_list {
public:
  explicit not_served_list(const std::string& file);

  std::optional<std::string> reason(std::string_view number, cell where) const;

  struct line {
    std::string number;
    std::string where;
    std::string reason;
  };
  const std::vector<line>& lines() const { return lines_; }

private:
  std::vector<line> lines_;
};

/// The list of the sources this program was built from.
const not_served_list& not_served();

} // namespace inbox::test
