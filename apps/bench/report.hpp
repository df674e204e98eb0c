#pragma once

#include <iosfwd>

#include "options.hpp"
#include "summary.hpp"

namespace bench {

/// What was measured, and where.
struct report {
  options given;
  std::vector<std::pair<std::string, facts>> databases;
  std::vector<outcome> outcomes;

  /// Every row of every run was handled once.
  bool is_exact() const;
};

void print_table(std::ostream& to, const report& all);
void print_json(std::ostream& to, const report& all);

/// The machine and the build; for both forms of the report.
facts machine(const options& given);

} // namespace bench
