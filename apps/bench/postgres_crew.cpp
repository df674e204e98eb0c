#include "postgres_crew.hpp"

#include <thread>

namespace bench {

namespace {

inbox::expected<pg_hand> hire(const pg_loop& loop) {
  auto link = pg_link::open(loop.url);
  if (!link)
    return tl::make_unexpected(link.error());
  pg_hand hand{std::move(*link), loop.statements->claim(loop.rows).text,
               loop.statements->at(inbox::event::ack).front()};
  return hand.on.prepare("claim", hand.claim.text)
    .and_then([&] { return hand.on.prepare("ack", hand.ack.text); })
    .and_then([&] { return hand.on.prepare("begin", "BEGIN"); })
    .and_then([&] { return hand.on.prepare("commit", "COMMIT"); })
    .map([&] { return std::move(hand); });
}

} // namespace

std::vector<std::int64_t> handle(const pg_result& claimed, tally& rows) {
  std::vector<std::int64_t> ids;
  const auto count = PQntuples(claimed.get());
  ids.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    ids.push_back(integer_at(claimed, i, 0));
    rows.mark(ids.back());
  }
  return ids;
}

inbox::expected<void>
run_crew(const pg_loop& loop, stopwatch& watch,
         const std::function<inbox::expected<void>(pg_hand&)>& work) {
  std::vector<pg_hand> hands;
  for (std::uint32_t i = 0; i < loop.connections; ++i) {
    auto hand = hire(loop);
    if (!hand)
      return tl::make_unexpected(hand.error());
    hands.push_back(std::move(*hand));
  }
  std::vector<inbox::expected<void>> results(hands.size());
  watch.start();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < hands.size(); ++i)
      threads.emplace_back([&, i] { results[i] = work(hands[i]); });
  }
  watch.stop();
  for (auto& result : results)
    if (!result)
      return result;
  return {};
}

} // namespace bench
