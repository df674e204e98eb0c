#include <algorithm>

#include "inbox/actors/service_body.hpp"

namespace inbox {

namespace {

/// Writes the rows in one transaction.
expected<std::vector<value>> insert_all(connection& on,
                                        const std::vector<insertion>& rows) {
  if (auto begun = on.begin(); !begun)
    return tl::make_unexpected(begun.error());
  std::vector<value> ids;
  for (const auto& r : rows) {
    const auto done = on.execute(r.insert.text, r.values);
    if (!done) {
      on.roll_back();
      return tl::make_unexpected(done.error());
    }
    ids.push_back(value::copy_of(done->rows->at(0, 0)));
  }
  if (auto committed = on.commit(); !committed)
    return tl::make_unexpected(committed.error());
  return ids;
}

} // namespace

expected<std::vector<value>>
service::body::enqueue(std::string_view queue, std::span<const new_row> rows) {
  const auto to = std::find_if(
    declared_.begin(), declared_.end(),
    [&](const declared& d) { return d.queue.name == queue; });
  if (to == declared_.end())
    return refuse(errc::unknown_queue,
                  "the service serves no queue \"" + std::string{queue} + "\"");
  // Shared with the job, since its copies shall not copy large payloads.
  auto insertions = std::make_shared<std::vector<insertion>>();
  insertions->reserve(rows.size());
  for (const auto& r : rows) {
    auto made = insertion_of((*over_.to)->speaks(), to->queue, r,
                             settings_.clock());
    if (!made)
      return tl::make_unexpected(std::move(made.error()));
    insertions->push_back(std::move(*made));
  }
  if (insertions->empty())
    return std::vector<value>{};
  // Shared, since a job that starts late may outlive this call.
  auto ids = std::make_shared<std::vector<value>>();
  auto written = with_session(
    [ids, insertions = std::move(insertions)](connection& on) {
      return insert_all(on, *insertions).map([&ids](std::vector<value> made) {
        *ids = std::move(made);
      });
    },
    30s);
  if (!written)
    return tl::make_unexpected(
      std::move(written.error())
        .in_subscription(queue)
        .on_table(to->queue.description.name().qualified())
        .at("insert"));
  wake(queue);
  return std::move(*ids);
}

} // namespace inbox
