#include "inbox/postgres/session.hpp"

#include <algorithm>

#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/rows.hpp"

namespace inbox::postgres {

namespace {

constexpr std::uint32_t most_conflicts = 6;
constexpr duration first_pause = 5ms;

bool needs_lease(const trip& request) {
  return request.statements->description().kind() == form::lease;
}

} // namespace

expected<const prepared*> session::known(std::string_view text) {
  if (const auto* found = statements.find(text))
    return found;
  const std::string_view texts[] = {text};
  if (auto refused = statements.prepare(texts, until()))
    return tl::make_unexpected(std::move(refused->why));
  return statements.find(text);
}

bool second_chances::allow(const segment& steps,
                           const segment_result& refused) {
  if (on_.on.is_lost() || !refused.why)
    return false;
  if (refused.is_stale)
    return forget(steps);
  if (refused.why->code() != errc::conflict || conflicts_ == most_conflicts)
    return false;
  const auto longest = first_pause * (1 << conflicts_++);
  std::uniform_int_distribution<std::int64_t> spread{longest.count() / 2,
                                                     longest.count()};
  return on_.on.pause(duration{spread(on_.random)}).has_value();
}

bool second_chances::forget(const segment& steps) {
  bool is_news = false;
  for (const auto& s : steps) {
    on_.statements.forget(s.text);
    if (!std::ranges::count(forgotten_, s.text)) {
      forgotten_.push_back(s.text);
      is_news = true;
    }
  }
  return is_news;
}

failure unknown_after(const failure& loss) {
  return failure{errc::outcome_unknown,
                 "the session ended before the server confirmed the commit: "
                   + loss.message()}
    .with_native(loss.native());
}

expected<segment> claim_steps(session& on, const trip& request,
                              time_point now) {
  const auto& set = *request.statements;
  const auto& since = request.claim->since;
  const auto& text
    = set.claim(request.claim->limit).beginning(since.has_value());
  auto how = on.known(text.text);
  if (!how)
    return tl::make_unexpected(how.error());
  auto with = bind(text, **how,
                   {.of = set.of(),
                    .now = now,
                    .lease_end = lease_end(now, set.of().settings.lease),
                    .limit = request.claim->limit,
                    .since = since});
  if (!with)
    return tl::make_unexpected(with.error());
  segment steps;
  steps.push_back({text.text, *how, std::move(*with)});
  return steps;
}

expected<claimed_rows> read_claim(const trip& request, time_point now,
                                  const PGresult* result) {
  auto rows = read_rows(result);
  if (!rows)
    return tl::make_unexpected(rows.error());
  const auto& set = *request.statements;
  const auto limit = set.claim(request.claim->limit).limit;
  claimed_rows claimed{.number = request.claim->number,
                       .asked = limit == 0 ? request.claim->limit : limit,
                       .rows = std::move(*rows).finish(),
                       .claimed_at = now,
                       .locked_until = {}};
  if (needs_lease(request))
    claimed.locked_until = lease_end(now, set.of().settings.lease);
  return claimed;
}

} // namespace inbox::postgres
