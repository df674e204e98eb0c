#pragma once

#include <optional>

#include "measure.hpp"

namespace bench {

/// The middle of some figures, and their ends.
struct spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// @pre there is one figure at least.
spread spread_of(std::vector<double> figures);

spread rows_per_second(const series& of);

/// CPU microseconds a row, the median.
double client_cpu(const series& of, std::size_t rows);
std::optional<double> server_cpu(const series& of, std::size_t rows);

/// The library's rate over another subject's: the median of the rounds'.
double ratio(const series& library, const series& other);

/// Every row was handled once in every run, and none is left.
bool is_exact(const series& of, std::size_t rows);

} // namespace bench
