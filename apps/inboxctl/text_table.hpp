#pragma once

#include <string>
#include <vector>

namespace inboxctl {

/// Lines of cells as text with aligned columns, two spaces between them; a
/// column of numbers alone is aligned to the right.
/// @param lines the first one holds the headings; all have as many cells.
std::string aligned(const std::vector<std::vector<std::string>>& lines);

} // namespace inboxctl
