#include <algorithm>

#include "inbox/actors/service_body.hpp"
#include "inbox/insertion.hpp"

namespace inbox {

namespace {

/// Writes the rows in one transaction; one insert commits by itself.
expected<std::vector<value>> insert_all(connection& on,
                                        const std::vector<insertion>& rows) {
  if (rows.size() == 1)
    return run(on, rows.front());
  if (auto begun = on.begin(); !begun)
    return tl::make_unexpected(begun.error());
  std::vector<value> ids;
  for (const auto& r : rows) {
    auto done = run(on, r);
    if (!done) {
      on.roll_back();
      return tl::make_unexpected(std::move(done.error()));
    }
    std::ranges::move(*done, std::back_inserter(ids));
  }
  if (auto committed = on.commit(); !committed)
    return tl::make_unexpected(committed.error());
  return ids;
}

tl::unexpected<failure> another_table(const subscription& queue,
                                      const table& of) {
  return tl::make_unexpected(
    failure{errc::unknown_queue,
            "the rows are of the table " + of.name().qualified()
              + ", which this queue is not served from; enqueue them in a "
                "queue of that table"}
      .in_subscription(queue.name)
      .on_table(queue.description.name().qualified()));
}

} // namespace

expected<const subscription*>
service::body::find(std::string_view queue) const {
  const auto found = std::ranges::find_if(
    declared_, [&](const declared& d) { return d.queue.name == queue; });
  if (found == declared_.end())
    return refuse(errc::unknown_queue,
                  "the service serves no queue \"" + std::string{queue} + "\"");
  return &found->queue;
}

expected<std::vector<value>>
service::body::enqueue(std::string_view queue, std::span<const new_row> rows) {
  return find(queue).and_then([&](const subscription* to) {
    return write(*to, to->description, rows_of(*to, rows, settings_.clock()));
  });
}

expected<std::vector<value>> service::body::enqueue(std::string_view queue,
                                                    const table& to,
                                                    const new_rows& rows) {
  return find(queue).and_then(
    [&](const subscription* served) -> expected<std::vector<value>> {
      if (to.name() != served->description.name())
        return another_table(*served, to);
      return write(*served, to, rows);
    });
}

/// Rows that are written stay so, whatever becomes of the announcement.
std::function<void(connection&)>
service::body::teller(const table& of, const written_groups& written) const {
  if (!over_.listen_notify)
    return [](connection&) {};
  return [of, groups = written.all(), to = *over_.to,
          log = settings_.log](connection& on) {
    if (auto told = announce(on, to->speaks(), of, groups); !told)
      log({log_level::warning,
           "new rows were not announced; the poll finds them",
           {{"table", of.name().qualified()},
            {"error", told.error().to_string()}}});
  };
}

expected<std::vector<value>> service::body::write(const subscription& queue,
                                                  const table& to,
                                                  const new_rows& rows) {
  if (rows.count == 0)
    return std::vector<value>{};
  written_groups groups{to};
  auto made = insertions_of((*over_.to)->speaks(), to, groups.noting(rows));
  if (!made)
    return tl::make_unexpected(std::move(made.error()));
  // Shared with the job, since its copies shall not copy large payloads.
  auto all = std::make_shared<const std::vector<insertion>>(std::move(*made));
  // Shared, since a job that starts late may outlive this call.
  auto ids = std::make_shared<std::vector<value>>();
  auto written = with_session(
    [ids, all = std::move(all), tell = teller(to, groups)](connection& on) {
      return insert_all(on, *all).map([&](std::vector<value> made) {
        *ids = std::move(made);
        tell(on);
      });
    },
    30s);
  if (!written)
    return tl::make_unexpected(std::move(written.error())
                                 .in_subscription(queue.name)
                                 .on_table(to.name().qualified())
                                 .at("insert"));
  wake(queue.name);
  return std::move(*ids);
}

} // namespace inbox
