#include "postgres_crew.hpp"

namespace bench {

namespace {

/// Every row of the batch must have been ours.
inbox::expected<void> check_acked(const pg_result& acked, std::size_t rows) {
  if (static_cast<std::size_t>(PQntuples(acked.get())) == rows)
    return {};
  return inbox::refuse(inbox::errc::lease_lost,
                       "a settlement did not find its rows");
}

pg_values from_now(const pg_loop& loop) {
  const auto now = inbox::host_now();
  return {now, inbox::lease_end(now, loop.statements->of().settings.lease), {}};
}

inbox::expected<void> batch_by_batch(const pg_loop& loop, pg_hand& hand,
                                     tally& rows) {
  for (;;) {
    auto with = from_now(loop);
    auto claimed = hand.on.run_prepared("claim", hand.claim, with);
    if (!claimed)
      return tl::make_unexpected(claimed.error());
    const auto ids = handle(*claimed, rows);
    if (ids.empty())
      return {};
    with.ids = ids;
    const auto acked = hand.on.run_prepared("ack", hand.ack, with);
    if (!acked)
      return tl::make_unexpected(acked.error());
    if (auto checked = check_acked(*acked, ids.size()); !checked)
      return checked;
  }
}

/// One trip: settles `before` and claims with `with`.
inbox::expected<pg_result> settle_and_claim(pg_hand& hand,
                                            const pg_values& before,
                                            const pg_values& with) {
  auto& on = hand.on;
  const auto settles = !before.ids.empty();
  auto sent = settles ? on.queue("ack", hand.ack, before)
                      : inbox::expected<void>{};
  sent = sent.and_then([&] { return on.queue("claim", hand.claim, with); })
           .and_then([&] { return on.sync(); });
  if (sent && settles)
    sent = on.next().and_then([&](const pg_result& acked) {
      return check_acked(acked, before.ids.size());
    });
  if (!sent)
    return tl::make_unexpected(sent.error());
  auto claimed = on.next();
  if (auto ended = on.synced(); !ended)
    return tl::make_unexpected(ended.error());
  return claimed;
}

inbox::expected<void> fused(const pg_loop& loop, pg_hand& hand, tally& rows) {
  if (auto entered = hand.on.enter_pipeline(); !entered)
    return entered;
  std::vector<std::int64_t> held;
  pg_values before;
  do {
    before.ids = held;
    const auto with = from_now(loop);
    const auto claimed = settle_and_claim(hand, before, with);
    if (!claimed)
      return tl::make_unexpected(claimed.error());
    held = handle(*claimed, rows);
    before = with;
  } while (!held.empty());
  return {};
}

} // namespace

inbox::expected<void> lease_batch(const pg_loop& loop, stopwatch& watch,
                                  tally& rows) {
  return run_crew(loop, watch, [&](pg_hand& hand) {
    return batch_by_batch(loop, hand, rows);
  });
}

inbox::expected<void> lease_fused_any(const pg_loop& loop, stopwatch& watch,
                                      tally& rows) {
  return run_crew(loop, watch,
                  [&](pg_hand& hand) { return fused(loop, hand, rows); });
}

} // namespace bench
