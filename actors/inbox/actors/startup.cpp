#include "inbox/actors/startup.hpp"

#include <algorithm>

namespace inbox::actors {

namespace {

tl::unexpected<failure> in_queue(failure why, const subscription& queue) {
  return tl::make_unexpected(std::move(why)
                               .in_subscription(queue.name)
                               .on_table(queue.description.name().qualified()));
}

expected<void> check_skew(const subscription& queue, duration skew) {
  if (queue.description.kind() != form::lease
      || std::chrono::abs(skew) * 3 <= queue.settings.lease)
    return {};
  return refuse(errc::clock_skew,
                "the host's clock is " + to_string(skew)
                  + " ahead of the database's, more than a third of the lease "
                    "of "
                  + to_string(queue.settings.lease)
                  + ": leases would be stolen or never end; set the clocks");
}

/// Host minus database, halving the round trip.
expected<duration> measure_skew(connection& on, const clock_source& clock) {
  const auto before = clock();
  const auto there = on.clock();
  const auto after = clock();
  if (!there)
    return tl::make_unexpected(there.error());
  return before + (after - before) / 2 - *there;
}

/// A claim without its index reads and sorts the whole table.
std::optional<std::string> missing_index(connection& on, const dialect& speaks,
                                         const table& t) {
  const auto advice = speaks.claim_index(t);
  if (!advice)
    return std::nullopt;
  const auto found = on.execute(advice->find, {});
  if (!found || found->rows->size() != 1
      || found->rows->at(0, 0).as_integer().value_or(1) > 0)
    return std::nullopt;
  return "the table " + t.name().qualified() + " has no index that begins with "
         + advice->columns
         + ", so that each claim reads and sorts it all; create one: "
         + advice->create;
}

std::vector<std::string>
find_notes(connection& on, const dialect& speaks,
           const std::vector<shared_statements>& queues) {
  std::vector<std::string> notes;
  for (const auto& q : queues)
    if (auto note = missing_index(on, speaks, q->description());
        note && std::find(notes.begin(), notes.end(), *note) == notes.end())
      notes.push_back(std::move(*note));
  return notes;
}

} // namespace

expected<shared_statements> build_statements(const dialect& speaks,
                                             const subscription& queue) {
  if (auto good = check(queue); !good)
    return in_queue(std::move(good.error()), queue);
  auto built = speaks.build(queue);
  if (!built)
    return in_queue(std::move(built.error()), queue);
  return built;
}

expected<void> check_unique(const std::vector<shared_statements>& earlier,
                            const subscription& queue) {
  const bool grouped = queue.description.has(column_role::group);
  for (const auto& e : earlier) {
    if (e->description().name() != queue.description.name())
      continue;
    if (grouped && e->of().group() != queue.group())
      continue;
    return in_queue(
      failure{errc::already_subscribed,
              "the service serves this "
                + std::string{grouped ? "table and group" : "table"}
                + " already, as \"" + e->of().name
                + "\"; serve it once, with more workers"},
      queue);
  }
  return {};
}

expected<start_report> check_on(connection& on, const dialect& speaks,
                                const std::vector<shared_statements>& queues,
                                const clock_source& clock) {
  for (const auto& q : queues)
    if (auto prepared = on.prepare(q); !prepared)
      return in_queue(std::move(prepared.error()), q->of());
  const auto skew = measure_skew(on, clock);
  if (!skew)
    return tl::make_unexpected(skew.error());
  for (const auto& q : queues)
    if (auto good = check_skew(q->of(), *skew); !good)
      return in_queue(std::move(good.error()), q->of());
  return start_report{*skew, find_notes(on, speaks, queues)};
}

} // namespace inbox::actors
