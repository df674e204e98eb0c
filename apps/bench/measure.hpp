#pragma once

#include <functional>

#include "scenario.hpp"

namespace bench {

/// One drain by one subject.
struct measured {
  cost spent;
  std::size_t handled = 0;
  std::size_t repeated = 0;
  std::size_t left = 0;

  double rows_per_second() const;
  /// Every row was handled once and none is left.
  bool is_exact(std::size_t rows) const;
};

/// Every drain by one subject, in order of the rounds.
struct series {
  std::string subject;
  std::uint32_t connections = 1;
  std::vector<measured> runs;
};

/// What came of one scenario.
struct outcome {
  std::string scenario;
  std::size_t rows = 0;
  std::vector<series> subjects; ///< The library's first.
};

/// Told before each drain.
using progress = std::function<void(const std::string& what)>;

/// Drains the table by each subject in turn, `rounds` times. The order turns
/// by one each round, so that none always follows the same one.
inbox::expected<outcome> measure(const scenario& what, std::size_t rows,
                                 std::uint32_t rounds, const progress& tell);

} // namespace bench
