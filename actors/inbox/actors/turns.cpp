#include "inbox/actors/turns.hpp"

#include <algorithm>
#include <utility>

#include "inbox/conclusion.hpp"

namespace inbox::actors {

namespace {

bool is_finished(const call_end& end) {
  return end.asked == stop_reason::none && end.answer
         && (*end.answer == ack() || *end.answer == drop());
}

} // namespace

bool turn::is_settled() const {
  return std::ranges::all_of(results, [](const settled& s) {
    return s.went == settled::how::done || s.went == settled::how::lost;
  });
}

std::optional<std::vector<settlement>>
turns::finished(std::span<const shared_delivery> rows,
                std::span<const call_end> ends) const {
  if (!std::ranges::all_of(ends, is_finished))
    return std::nullopt;
  std::vector<settlement> all;
  all.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    all.push_back(settle(*rows[i], *ends[i].answer).end);
  return all;
}

std::shared_ptr<turn> turns::take(const permit& with, connection& on,
                                  std::vector<settlement> ends,
                                  permit_mark& mark) const {
  auto t = std::make_shared<turn>();
  t->with = with;
  t->since = std::chrono::steady_clock::now();
  trip request;
  request.statements = settings_.statements;
  request.settlements = std::move(ends);
  request.claim = claim_order{with.claim, with.rows};
  if (settings_.marks)
    request.claim->since = mark.begin();
  t->claimed = run(on, request, *t, mark);
  // Below the mark there may be more.
  if (t->is_full && t->is_settled() && t->claimed->rows->size() == 0) {
    request.claim->since = mark.begin();
    t->claimed = run(on, request, *t, mark);
  }
  if (t->is_settled())
    t->next = runnable(*t);
  return t;
}

expected<claimed_rows> turns::run(connection& on, trip& request, turn& t,
                                  permit_mark& mark) const {
  auto result = on.run(request, settings_.clock());
  if (!request.settlements.empty()) {
    t.ends = std::exchange(request.settlements, {});
    t.results = std::move(result.settlements);
  }
  t.is_full = false;
  if (!result.claim)
    return refuse(errc::connection_lost, "the claim was not answered");
  if (!*result.claim)
    return std::move(*result.claim);
  const auto& rows = **result.claim;
  const bool got_all = rows.rows->size() >= rows.asked;
  t.is_full = got_all || request.claim->since;
  mark.on_claimed(got_all,
                  first_due(rows, settings_.statements->description()));
  return std::move(*result.claim);
}

std::vector<shared_delivery> turns::runnable(const turn& t) const {
  if (!t.claimed || t.claimed->rows->size() != t.with.rows)
    return {};
  std::vector<delivery> all;
  all.reserve(t.with.rows);
  for (std::size_t i = 0; i < t.with.rows; ++i) {
    auto d = delivery::from_row(settings_.statements, *t.claimed, i,
                                ++*settings_.numbers);
    if (!d || conclude_unrun(*d, 0))
      return {};
    all.push_back(std::move(*d));
  }
  return share(std::move(all));
}

} // namespace inbox::actors
