#include "measure.hpp"

namespace bench {

namespace {

inbox::expected<measured> drain_once(stage& on, const subject& by,
                                     std::size_t rows) {
  if (auto filled = on.fill(rows); !filled)
    return tl::make_unexpected(filled.error());
  stopwatch watch{[&] { return on.server_cpu(); }};
  tally counted{rows, [&] { watch.start(); }};
  if (auto drained = by.drain(watch, counted); !drained)
    return tl::make_unexpected(drained.error());
  watch.stop();
  return on.left().map([&](std::size_t left) {
    return measured{watch.spent(), counted.handled(), counted.repeated(), left};
  });
}

} // namespace

double measured::rows_per_second() const {
  const std::chrono::duration<double> seconds{spent.wall};
  return static_cast<double>(handled) / seconds.count();
}

bool measured::is_exact(std::size_t rows) const {
  return handled == rows && repeated == 0 && left == 0;
}

inbox::expected<outcome> measure(const scenario& what, std::size_t rows,
                                 std::uint32_t rounds, const progress& tell) {
  outcome came{what.name, rows, {}};
  for (const auto& s : what.subjects)
    came.subjects.push_back({s.name, s.connections, {}});
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < what.subjects.size(); ++i) {
      const auto turn = (i + round) % what.subjects.size();
      const auto& by = what.subjects[turn];
      tell(what.name + " by " + by.name + ", round " + std::to_string(round + 1)
           + " of " + std::to_string(rounds));
      auto run = drain_once(*what.on, by, rows);
      if (!run)
        return tl::make_unexpected(
          std::move(run).error().in_subscription(what.name + " by " + by.name));
      came.subjects[turn].runs.push_back(*run);
    }
  return came;
}

} // namespace bench
