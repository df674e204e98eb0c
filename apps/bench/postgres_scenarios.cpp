#include <algorithm>

#include "databases.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/postgres/pool.hpp"
#include "library.hpp"
#include "postgres_loops.hpp"
#include "postgres_stage.hpp"

namespace bench {

namespace {

/// A row lock's worker keeps a session, and one stays free.
std::uint32_t sessions_for(const serving& how) {
  return how.form == inbox::form::row_lock ? how.workers + 1 : 8;
}

/// Two connections keep two cores busy with batches; single rows take more.
std::uint32_t raw_connections(const serving& how) {
  const auto batches = how.form == inbox::form::lease && how.prefetch > 1;
  return batches ? std::min(how.workers, std::uint32_t{2}) : how.workers;
}

std::string name_of(const serving& how) {
  const auto workers = ".w" + std::to_string(how.workers);
  if (how.form == inbox::form::row_lock)
    return "postgres.row_lock" + workers;
  return "postgres.lease.k" + std::to_string(how.prefetch) + workers;
}

subject by_library(const std::string& url, const serving& how) {
  const auto sessions = sessions_for(how);
  return {"inbox", sessions, [=](stopwatch& watch, tally& rows) {
            const auto over = inbox::postgres::pool(url, {.size = sessions});
            return drain_by_library(over, how, watch, rows);
          }};
}

using raw = inbox::expected<void> (*)(const pg_loop&, stopwatch&, tally&);

subject by_loop(std::string name, raw run, pg_loop loop) {
  const auto connections = loop.connections;
  return {std::move(name), connections,
          [run, loop = std::move(loop)](stopwatch& watch, tally& rows) {
            return run(loop, watch, rows);
          }};
}

inbox::expected<scenario> drain(const std::shared_ptr<stage>& on,
                                const std::string& url, const serving& how) {
  auto set = jobs(how).and_then([](const inbox::subscription& queue) {
    return inbox::postgres::dialect{}.build(queue);
  });
  if (!set)
    return tl::make_unexpected(set.error());
  const auto is_lease = how.form == inbox::form::lease;
  const pg_loop loop{url, *set, raw_connections(how), how.prefetch};
  std::vector<subject> subjects{by_library(url, how)};
  if (is_lease) {
    subjects.push_back(by_loop("lease_fused_any", lease_fused_any, loop));
    subjects.push_back(by_loop("lease_batch", lease_batch, loop));
  } else {
    subjects.push_back(by_loop("rowlock_pipe1", row_lock_pipe1, loop));
    subjects.push_back(by_loop("rowlock", row_lock, loop));
  }
  return scenario{name_of(how), on, std::move(subjects),
                  !is_lease || how.prefetch == 1};
}

std::vector<serving> cases() {
  std::vector<serving> all;
  for (const std::uint32_t prefetch : {1, 10, 100, 1000})
    for (const std::uint32_t workers : {1, 4})
      all.push_back({inbox::form::lease, workers, prefetch});
  for (const std::uint32_t workers : {1, 4, 8})
    all.push_back({inbox::form::row_lock, workers, 1});
  return all;
}

} // namespace

inbox::expected<std::vector<scenario>>
postgres_scenarios(const options& given) {
  auto on = postgres_stage::open(given.url, given.fillfactor);
  if (!on)
    return tl::make_unexpected(on.error());
  std::vector<scenario> all;
  for (const auto& how : cases()) {
    auto made = drain(*on, given.url, how);
    if (!made)
      return tl::make_unexpected(made.error());
    all.push_back(std::move(*made));
  }
  std::ranges::move(postgres_enqueue_scenarios(*on, given.url),
                    std::back_inserter(all));
  return all;
}

} // namespace bench
