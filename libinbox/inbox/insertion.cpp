#include "inbox/insertion.hpp"

#include <algorithm>
#include <array>

namespace inbox {

namespace {

/// Rows an insert may have. Larger ones are no faster.
constexpr std::array<std::size_t, 10> steps{1,  2,   5,   10,  20,
                                            50, 100, 200, 500, 1000};

/// Octets of values in one insert; a larger row goes alone.
constexpr std::size_t most_octets = 8u << 20;

/// Position of the largest step of at most so many rows.
std::size_t step_within(std::size_t rows) {
  const auto above = std::ranges::upper_bound(steps, rows);
  return static_cast<std::size_t>(above - steps.begin()) - 1;
}

std::size_t size_of(std::span<const value> values) {
  std::size_t octets = 0;
  for (const auto& v : values)
    octets += v.view().as_octets().value_or("").size();
  return octets;
}

} // namespace

insertions::insertions(const dialect& speaks, const table& to, consumer take)
  : speaks_{speaks}, to_{to}, take_{std::move(take)}, texts_(steps.size()) {}

expected<void> insertions::add(const new_rows& rows) {
  for (std::size_t at = 0; at < rows.count; ++at) {
    auto added = rows.at(at).and_then(
      [this](row_values row) { return add(std::move(row)); });
    if (!added)
      return added;
  }
  return finish();
}

expected<void> insertions::add(row_values row) {
  const auto octets = size_of(row.values);
  if (row.columns != columns_)
    if (auto started = start(std::move(row.columns)); !started)
      return started;
  if (octets_ + octets > most_octets)
    if (auto done = finish(); !done)
      return done;
  std::ranges::move(row.values, std::back_inserter(values_));
  octets_ += octets;
  return ++rows_ < most_ ? expected<void>{} : finish();
}

expected<void> insertions::start(positions columns) {
  if (auto done = finish(); !done)
    return done;
  columns_ = std::move(columns);
  const auto limit = std::max<std::size_t>(
    speaks_.insert_limit(columns_.size()), 1);
  most_ = steps[step_within(limit)];
  std::ranges::fill(texts_, nullptr);
  return {};
}

expected<void> insertions::finish() {
  while (rows_ > 0)
    if (auto done = hand_over(steps[step_within(std::min(rows_, most_))]);
        !done)
      return done;
  octets_ = 0;
  return {};
}

expected<void> insertions::hand_over(std::size_t rows) {
  auto insert = text(rows);
  if (!insert)
    return tl::make_unexpected(std::move(insert.error()));
  const auto end = values_.begin()
                   + static_cast<std::ptrdiff_t>(rows * columns_.size());
  insertion made{std::move(*insert),
                 {std::move_iterator{values_.begin()}, std::move_iterator{end}},
                 rows};
  values_.erase(values_.begin(), end);
  rows_ -= rows;
  return take_(std::move(made));
}

expected<std::shared_ptr<const statement>> insertions::text(std::size_t rows) {
  auto& kept = texts_[step_within(rows)];
  if (kept)
    return kept;
  return speaks_.insert(to_, columns_, rows).map([&kept](statement made) {
    kept = std::make_shared<const statement>(std::move(made));
    return kept;
  });
}

expected<std::vector<insertion>>
insertions_of(const dialect& speaks, const table& to, const new_rows& rows) {
  std::vector<insertion> all;
  insertions gathered{speaks, to, [&all](insertion made) {
                        all.push_back(std::move(made));
                        return expected<void>{};
                      }};
  return gathered.add(rows).map([&all] { return std::move(all); });
}

expected<std::vector<value>> ids_of(const row_set& answer, std::size_t rows) {
  if (answer.size() != rows && answer.size() != 0)
    return refuse(errc::statement,
                  "the insert of " + std::to_string(rows) + " rows answered "
                    + std::to_string(answer.size())
                    + " ids, so that a trigger or a rule of the table keeps "
                      "some back, and whose ids these are cannot be told; "
                      "enqueue such rows one by one");
  std::vector<value> ids(rows);
  for (std::size_t at = 0; at < answer.size(); ++at)
    ids[at] = value::copy_of(answer.at(at, 0));
  return ids;
}

expected<std::vector<value>> run(connection& on, const insertion& what) {
  return on.execute(what.insert->text, what.values)
    .and_then(
      [&](const execution& done) { return ids_of(*done.rows, what.rows); });
}

} // namespace inbox
