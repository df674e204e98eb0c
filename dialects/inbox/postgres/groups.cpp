#include "inbox/postgres/groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace inbox::postgres {

bool id_comes_first(const value_view& a, const value_view& b) noexcept {
  if (const auto left = a.as_integer(), right = b.as_integer(); left && right)
    return *left < *right;
  const auto left = a.as_octets(), right = b.as_octets();
  return left && right && *left < *right;
}

part gather(std::vector<item> rows) {
  using key
    = std::tuple<event, time_point, std::optional<std::int64_t>, duration>;
  std::map<key, group> by_key;
  for (auto& r : rows) {
    auto& of_key = by_key[{r.what, r.held ? r.held->locked_until : time_point{},
                           r.held ? r.held->attempt : std::nullopt, r.delay}];
    if (of_key.rows.empty())
      of_key.rows.reserve(rows.size()); // most often there is one group
    of_key.rows.push_back(r);
  }
  part gathered;
  for (auto& [k, g] : by_key) {
    std::ranges::sort(g.rows, id_comes_first, &item::id);
    gathered.push_back(std::move(g));
  }
  return gathered;
}

std::size_t rows_in(const part& p) {
  std::size_t n = 0;
  for (const auto& g : p)
    n += g.rows.size();
  return n;
}

} // namespace inbox::postgres
