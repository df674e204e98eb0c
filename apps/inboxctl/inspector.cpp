#include "inspector.hpp"

#include <algorithm>

#include "workspace.hpp"

namespace inboxctl {

using inbox::expected;
using inbox::value;
using inbox::value_view;

namespace {

row_state state_named(std::string_view name) {
  for (const auto s : inbox::sql::row_states)
    if (to_string(s) == name)
      return s;
  return row_state::delayed;
}

/// A time as one; SQLite keeps times as text, in whatever form they came.
value as_time(const value_view& v) {
  if (const auto text = v.as_text())
    if (const auto t = inbox::parse_time(*text))
      return *t;
  return value::copy_of(v);
}

std::string text_of(const value_view& v) {
  return std::string{v.as_text().value_or("")};
}

void add_line(queue_counts& to, const inbox::row& line) {
  const auto state = state_named(text_of(line.at(0)));
  const auto count = static_cast<std::uint64_t>(
    line.at(2).as_integer().value_or(0));
  to.rows[state] += count;
  if (state != row_state::processed && !line.at(1).is_null())
    to.attempts[line.at(1).to_display()] += count;
  const auto age = line.at(3).as_real();
  if (state == row_state::ready && age)
    to.oldest_ready_seconds = std::max(
      {to.oldest_ready_seconds.value_or(0), *age, 0.0});
}

row_summary summary_of(const inbox::row& line) {
  return {value::copy_of(line.at(0)), value::copy_of(line.at(1)),
          text_of(line.at(2)),        value::copy_of(line.at(3)),
          as_time(line.at(4)),        as_time(line.at(5)),
          as_time(line.at(6))};
}

} // namespace

expected<inspector> inspector::make(const inbox::dialect& speaks,
                                    const inbox::subscription& queue) {
  return inbox::any::inspect(speaks, queue).map([](auto&& how) {
    return inspector{std::move(how)};
  });
}

expected<inbox::shared_rows>
inspector::read(inbox::connection& through,
                const inbox::statement& what) const {
  std::vector<value> values;
  for (const auto& p : what.params) {
    using meaning = inbox::param::meaning;
    if (p.what == meaning::now)
      values.emplace_back(inbox::host_now());
    else if (p.what == meaning::destination)
      values.emplace_back(how_.of.dead_letter_group().value_or(""));
    else
      values.emplace_back(how_.of.group());
  }
  auto got = through.execute(what.text, values);
  if (!got)
    return tl::unexpected{explain(got.error(), how_.of)};
  return got->rows;
}

expected<queue_counts> inspector::count(inbox::connection& through) const {
  const auto lines = read(through, count_rows(how_));
  if (!lines)
    return tl::unexpected{lines.error()};
  queue_counts counts;
  for (std::size_t at = 0; at < (*lines)->size(); ++at)
    add_line(counts, {*lines, at});
  if (const auto dead = count_dead(how_)) {
    const auto counted = read(through, *dead);
    if (!counted)
      return tl::unexpected{counted.error()};
    counts.dead = static_cast<std::uint64_t>(
      (*counted)->at(0, 0).as_integer().value_or(0));
  }
  return counts;
}

expected<std::vector<row_summary>>
inspector::list(inbox::connection& through, std::optional<row_state> only,
                std::uint32_t limit) const {
  const auto lines = read(through, list_rows(how_, only, limit));
  if (!lines)
    return tl::unexpected{lines.error()};
  std::vector<row_summary> rows;
  for (std::size_t at = 0; at < (*lines)->size(); ++at)
    rows.push_back(summary_of({*lines, at}));
  return rows;
}

expected<bool> inspector::has_work(inbox::connection& through) const {
  return read(through, find_work(how_)).map([](const auto& rows) {
    return rows->size() > 0;
  });
}

} // namespace inboxctl
