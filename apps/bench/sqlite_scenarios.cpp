#include <algorithm>

#include "databases.hpp"
#include "inbox/sqlite/dialect.hpp"
#include "inbox/sqlite/pool.hpp"
#include "library.hpp"
#include "sqlite_loops.hpp"
#include "sqlite_stage.hpp"

namespace bench {

namespace {

constexpr std::uint32_t claimed = 100;
/// One writes; the others are there as in a service.
constexpr std::uint32_t sessions = 3;

subject by_library(const std::string& file, const serving& how) {
  return {"inbox", sessions, [=](stopwatch& watch, tally& rows) {
            const auto over = inbox::sqlite::pool(
              file, {.size = sessions, .wal = true});
            return drain_by_library(over, how, watch, rows);
          }};
}

inbox::expected<scenario> lease(const options& given, synchronous sync,
                                const serving& how) {
  auto on = sqlite_stage::open(given.dir, sync);
  if (!on)
    return tl::make_unexpected(on.error());
  auto set = jobs(how).and_then([](const inbox::subscription& queue) {
    return inbox::sqlite::dialect{}.build(queue);
  });
  if (!set)
    return tl::make_unexpected(set.error());
  const sqlite_loop loop{(*on)->file(), *set, how.prefetch};
  const auto raw = [&](std::string name, auto run) {
    return subject{std::move(name), 1, [=](stopwatch& watch, tally& rows) {
                     return run(loop, watch, rows);
                   }};
  };
  return scenario{"sqlite.lease." + std::string{to_string(sync)} + ".k"
                    + std::to_string(how.prefetch) + ".w"
                    + std::to_string(how.workers),
                  *on,
                  {by_library((*on)->file(), how), raw("sel_fused", sel_fused),
                   raw("sel_each", sel_each)},
                  // Each of the last loop's commits waits for the disk.
                  sync == synchronous::full};
}

} // namespace

inbox::expected<std::vector<scenario>> sqlite_scenarios(const options& given) {
  std::vector<scenario> all;
  for (const auto sync : {synchronous::normal, synchronous::full})
    for (const std::uint32_t workers : {1, 4}) {
      auto made = lease(given, sync, {inbox::form::lease, workers, claimed});
      if (!made)
        return tl::make_unexpected(made.error());
      all.push_back(std::move(*made));
    }
  // A file of their own, as durable as a producer's own is by default.
  auto on = sqlite_stage::open(given.dir, synchronous::full);
  if (!on)
    return tl::make_unexpected(on.error());
  std::ranges::move(sqlite_enqueue_scenarios(*on, (*on)->file()),
                    std::back_inserter(all));
  return all;
}

} // namespace bench
