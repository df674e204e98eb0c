#include "summary.hpp"

#include <algorithm>

namespace bench {

namespace {

template <class F>
std::vector<double> each(const series& of, F figure) {
  std::vector<double> all;
  for (const auto& run : of.runs)
    all.push_back(figure(run));
  return all;
}

double per_row(inbox::duration d, std::size_t rows) {
  return static_cast<double>(d.count()) / static_cast<double>(rows);
}

} // namespace

spread spread_of(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  const auto middle = figures.size() / 2;
  const auto median = figures.size() % 2 == 1
                        ? figures[middle]
                        : (figures[middle - 1] + figures[middle]) / 2;
  return {median, figures.front(), figures.back()};
}

spread rows_per_second(const series& of) {
  return spread_of(
    each(of, [](const measured& m) { return m.rows_per_second(); }));
}

double client_cpu(const series& of, std::size_t rows) {
  return spread_of(each(of,
                        [&](const measured& m) {
                          return per_row(m.spent.client, rows);
                        }))
    .median;
}

std::optional<double> server_cpu(const series& of, std::size_t rows) {
  for (const auto& run : of.runs)
    if (!run.spent.server)
      return std::nullopt;
  return spread_of(each(of,
                        [&](const measured& m) {
                          return per_row(*m.spent.server, rows);
                        }))
    .median;
}

double ratio(const series& library, const series& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < library.runs.size(); ++i)
    ratios.push_back(library.runs[i].rows_per_second()
                     / other.runs[i].rows_per_second());
  return spread_of(std::move(ratios)).median;
}

bool is_exact(const series& of, std::size_t rows) {
  return std::all_of(of.runs.begin(), of.runs.end(),
                     [&](const measured& m) { return m.is_exact(rows); });
}

} // namespace bench
