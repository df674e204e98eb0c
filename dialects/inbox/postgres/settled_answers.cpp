#include "inbox/postgres/settled_answers.hpp"

#include <algorithm>

#include "inbox/postgres/rows.hpp"

namespace inbox::postgres {

void settled_answers::read(const part& p, const segment_result& came) const {
  std::size_t at = 0;
  for (const auto& g : p) {
    // Of an event's statements the last one decides.
    at += set_.at(g.lead().what).size();
    read(g, came.results[at - 1].get());
  }
}

void settled_answers::read(const group& g, const PGresult* result) const {
  if (PQnfields(result) == 0) {
    for (const auto& r : g.rows)
      end(r, affected_by(result) > 0);
    return;
  }
  auto rows = read_rows(result);
  if (!rows)
    return put(g, settled::how::unknown, rows.error());
  const auto returned = std::move(*rows).finish();
  std::vector<value_view> ids;
  ids.reserve(returned->size());
  for (std::size_t i = 0; i < returned->size(); ++i)
    ids.push_back(returned->at(i, 0));
  std::ranges::sort(ids, id_comes_first);
  for (const auto& r : g.rows) {
    const auto same = std::ranges::equal_range(ids, r.id, id_comes_first);
    end(r, std::ranges::find(same, r.id) != same.end());
  }
}

void settled_answers::end(const item& r, bool is_hit) const {
  if (r.what == event::held) {
    r.answer->went = is_hit ? settled::how::held : settled::how::done;
    return;
  }
  r.answer->went = is_hit ? settled::how::done : settled::how::lost;
  if (is_hit && r.what == event::extend)
    r.answer->now_held = token{lease_end_, r.held->attempt};
}

void settled_answers::put(const part& p, settled::how went,
                          const failure& why) const {
  for (const auto& g : p)
    put(g, went, why);
}

void settled_answers::put(const group& g, settled::how went,
                          const failure& why) const {
  for (const auto& r : g.rows) {
    r.answer->went = went;
    r.answer->why = named(why, r.what);
  }
}

failure settled_answers::named(failure why, event what) const {
  return std::move(why)
    .in_subscription(set_.of().name)
    .on_table(set_.description().name().qualified())
    .at(to_string(what));
}

} // namespace inbox::postgres
