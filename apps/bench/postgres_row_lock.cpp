#include "postgres_crew.hpp"

namespace bench {

namespace {

const inbox::statement no_values;

/// One trip for each statement.
inbox::expected<std::vector<std::int64_t>> one_row(pg_hand& hand, tally& rows) {
  auto& on = hand.on;
  pg_values with{inbox::host_now(), {}, {}};
  std::vector<std::int64_t> ids;
  return on.run_prepared("begin", no_values, with)
    .and_then(
      [&](auto&&) { return on.run_prepared("claim", hand.claim, with); })
    .and_then([&](const pg_result& claimed) -> inbox::expected<pg_result> {
      ids = handle(claimed, rows);
      with.ids = ids;
      if (ids.empty())
        return pg_result{};
      return on.run_prepared("ack", hand.ack, with);
    })
    .and_then(
      [&](auto&&) { return on.run_prepared("commit", no_values, with); })
    .map([&](auto&&) { return ids; });
}

/// What one trip sends: the end of the row under way, if there is one, and the
/// next claim.
inbox::expected<void> send_turn(pg_hand& hand, const pg_values& with) {
  auto& on = hand.on;
  inbox::expected<void> sent;
  if (!with.ids.empty())
    sent = on.queue("ack", hand.ack, with).and_then([&] {
      return on.queue("commit", no_values, with);
    });
  return sent.and_then([&] { return on.queue("begin", no_values, with); })
    .and_then([&] { return on.queue("claim", hand.claim, with); })
    .and_then([&] { return on.sync(); });
}

inbox::expected<pg_result> receive_turn(pg_hand& hand, bool settles) {
  auto& on = hand.on;
  for (int skipped = settles ? 3 : 1; skipped > 0; --skipped)
    if (auto result = on.next(); !result)
      return result;
  auto claimed = on.next();
  if (auto ended = on.synced(); !ended)
    return tl::make_unexpected(ended.error());
  return claimed;
}

inbox::expected<void> piped(pg_hand& hand, tally& rows) {
  if (auto entered = hand.on.enter_pipeline(); !entered)
    return entered;
  std::vector<std::int64_t> held;
  do {
    const pg_values with{inbox::host_now(), {}, held};
    const auto claimed = send_turn(hand, with).and_then([&] {
      return receive_turn(hand, !held.empty());
    });
    if (!claimed)
      return tl::make_unexpected(claimed.error());
    held = handle(*claimed, rows);
  } while (!held.empty());
  return {};
}

} // namespace

inbox::expected<void> row_lock(const pg_loop& loop, stopwatch& watch,
                               tally& rows) {
  return run_crew(loop, watch, [&](pg_hand& hand) -> inbox::expected<void> {
    for (;;) {
      const auto ids = one_row(hand, rows);
      if (!ids)
        return tl::make_unexpected(ids.error());
      if (ids->empty())
        return {};
    }
  });
}

inbox::expected<void> row_lock_pipe1(const pg_loop& loop, stopwatch& watch,
                                     tally& rows) {
  return run_crew(loop, watch,
                  [&](pg_hand& hand) { return piped(hand, rows); });
}

} // namespace bench
