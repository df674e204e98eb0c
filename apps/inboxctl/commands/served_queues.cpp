#include "commands/served_queues.hpp"

#include <algorithm>
#include <filesystem>

#include "inbox/any/inspect.hpp"

namespace inboxctl {

namespace fs = std::filesystem;
using inbox::errc;
using inbox::expected;

namespace {

expected<served_queue> prepare(const inbox::queue_settings& from,
                               const fs::path& folder,
                               const serve_overrides& instead) {
  auto queue = from.queue;
  if (instead.workers)
    queue.settings.workers = *instead.workers;
  // A claim ahead takes at least what the workers can start.
  queue.settings.prefetch = std::max(
    queue.settings.prefetch, queue.settings.workers * queue.settings.batch);
  // A program of the command line is looked up from where it was typed.
  auto found = instead.exec ? find_program(*instead.exec, fs::current_path())
                            : find_program(from.exec, folder);
  if (!found)
    return tl::make_unexpected(
      std::move(found.error()).in_subscription(queue.name));
  return served_queue{std::move(queue), std::move(*found)};
}

} // namespace

expected<std::vector<served_queue>>
prepare_queues(const workspace& work, const serve_overrides& instead) {
  std::vector<served_queue> all;
  for (const auto& q : work.queues) {
    auto ready = prepare(q, work.config.folder(), instead);
    if (!ready)
      return tl::unexpected{std::move(ready.error())};
    all.push_back(std::move(*ready));
  }
  return all;
}

bool serves_whole_tables(const workspace& work) {
  return std::any_of(work.queues.begin(), work.queues.end(),
                     [](const auto& q) { return q.all_columns; });
}

expected<void> read_whole_tables(const workspace& work,
                                 std::vector<served_queue>& queues) {
  auto from = connect(work.database());
  if (!from)
    return tl::unexpected{std::move(from.error())};
  for (std::size_t at = 0; at < queues.size(); ++at) {
    const auto& settings = work.queues[at];
    if (!settings.all_columns)
      continue;
    auto full = inbox::any::read_columns(**from, work.database().speaks(),
                                         settings.queue.description.name())
                  .and_then([&](const std::vector<inbox::table_column>& found) {
                    return inbox::list_columns(settings, found);
                  });
    if (!full)
      return tl::make_unexpected(
        std::move(full.error()).in_subscription(settings.queue.name));
    queues[at].queue.description = std::move(full->description);
  }
  return {};
}

expected<std::shared_ptr<spawner>> make_spawner() {
  std::error_code unreadable;
  const auto self = fs::read_symlink("/proc/self/exe", unreadable);
  const auto launcher = self.parent_path() / "inboxctl-launch";
  if (unreadable || !fs::exists(launcher))
    return inbox::refuse(errc::handler_failed,
                         "programs are started through " + launcher.string()
                           + ", which is not there; install it beside "
                             "inboxctl");
  return std::make_shared<spawner>(launcher.string());
}

} // namespace inboxctl
