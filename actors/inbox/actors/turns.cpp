#include "inbox/actors/turns.hpp"

#include <algorithm>

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

turns::turns(shared_statements of, clock_source clock,
             std::shared_ptr<delivery_numbers> numbers)
  : of_{std::move(of)},
    clock_{std::move(clock)},
    numbers_{std::move(numbers)} {}

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
                                  std::vector<settlement> ends) const {
  trip request;
  request.statements = of_;
  request.settlements = std::move(ends);
  request.claim = claim_order{with.claim, with.rows};
  auto t = std::make_shared<turn>();
  t->with = with;
  t->since = std::chrono::steady_clock::now();
  auto result = on.run(request, clock_());
  t->ends = std::move(request.settlements);
  t->results = std::move(result.settlements);
  if (result.claim)
    t->claimed = std::move(*result.claim);
  else
    t->claimed = refuse(errc::connection_lost, "the claim was not answered");
  if (t->is_settled())
    t->next = runnable(*t);
  return t;
}

std::vector<shared_delivery> turns::runnable(const turn& t) const {
  if (!t.claimed || t.claimed->rows->size() != t.with.rows)
    return {};
  std::vector<delivery> all;
  all.reserve(t.with.rows);
  for (std::size_t i = 0; i < t.with.rows; ++i) {
    auto d = delivery::from_row(of_, *t.claimed, i, ++*numbers_);
    if (!d || conclude_unrun(*d, 0))
      return {};
    all.push_back(std::move(*d));
  }
  return share(std::move(all));
}

} // namespace inbox::actors
