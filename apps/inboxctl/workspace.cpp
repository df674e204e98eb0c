#include "workspace.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inbox/any/by_url.hpp"

namespace inboxctl {

using inbox::errc;
using inbox::expected;

namespace {

std::vector<std::string> queue_names(const inbox::configuration& config) {
  std::vector<std::string> names;
  for (const auto& q : config.queues)
    names.push_back(q.queue.name);
  return names;
}

auto unknown(const inbox::configuration& config, const std::string& name) {
  return inbox::refuse(
    errc::unknown_queue,
    fmt::format("{}: no queue is called \"{}\"; it has {}", config.file, name,
                config.queues.empty()
                  ? "none: add a section [queue." + name + "]"
                  : fmt::format("{}", fmt::join(queue_names(config), ", "))));
}

expected<std::vector<inbox::queue_settings>>
pick(const inbox::configuration& config,
     const std::vector<std::string>& names) {
  if (names.empty() && config.queues.empty())
    return inbox::refuse(errc::unknown_queue,
                         config.file
                           + ": describes no queue; add a section "
                             "[queue.NAME]");
  if (names.empty())
    return config.queues;
  std::vector<inbox::queue_settings> picked;
  for (const auto& name : names) {
    const auto* found = config.find(name);
    if (!found)
      return unknown(config, name);
    const auto is_same = [&name](const inbox::queue_settings& q) {
      return q.queue.name == name;
    };
    if (std::none_of(picked.begin(), picked.end(), is_same))
      picked.push_back(*found);
  }
  return picked;
}

expected<inbox::pool> find_database(const inbox::configuration& config,
                                    const surroundings& with) {
  const auto& options = with.options;
  const auto& url = options.url ? *options.url : config.database.url;
  if (url.empty())
    return inbox::refuse(errc::invalid_config,
                         config.file
                           + ": names no database; set url in [database], or "
                             "give --db URL");
  auto made = inbox::any::pool(url,
                               {.size = config.database.pool,
                                .listen_notify = config.database.listen_notify,
                                .wal = config.database.wal,
                                .log = with.tell.sink()});
  if (made.to)
    return made;
  const auto& why = made.to.error();
  const auto where = options.url ? "--db" : config.database.where;
  return inbox::refuse(why.code(), where + ": " + why.message());
}

} // namespace

expected<workspace> open_workspace(const surroundings& with,
                                   const std::vector<std::string>& names) {
  auto config = inbox::read_configuration(with.options.config);
  if (!config)
    return tl::unexpected{std::move(config.error())};
  auto queues = pick(*config, names);
  if (!queues)
    return tl::unexpected{std::move(queues.error())};
  auto pool = find_database(*config, with);
  if (!pool)
    return tl::unexpected{std::move(pool.error())};
  return workspace{std::move(*config), std::move(*queues), std::move(*pool)};
}

expected<std::unique_ptr<inbox::connection>>
connect(const inbox::database& to) {
  auto opened = to.connect();
  if (auto facts = opened->open(); !facts)
    return tl::unexpected{std::move(facts.error())};
  return opened;
}

inbox::failure explain(const inbox::failure& why,
                       const inbox::subscription& queue) {
  auto message = why.message();
  if (why.code() == errc::schema)
    message += "; make [queue." + queue.name
               + "] and the table agree: inboxctl ddl prints one that does";
  auto line = inbox::failure{why.code(), message}
                .in_subscription(queue.name)
                .on_table(queue.description.name().qualified())
                .with_native(why.native());
  // The name of a statement helps; its text would hide the rest.
  return why.statement().find(' ') == std::string::npos
           ? std::move(line).at(why.statement())
           : line;
}

} // namespace inboxctl
