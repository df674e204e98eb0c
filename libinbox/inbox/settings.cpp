#include "inbox/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "inbox/settings/queue.hpp"
#include "inbox/settings/section.hpp"

namespace inbox {

namespace {

database_settings read_database(settings::section& root) {
  database_settings database;
  auto in = root.inner("database");
  if (!in)
    return database;
  in->read("url", database.url);
  in->read("pool", database.pool, 2);
  in->read("listen_notify", database.listen_notify);
  in->read("wal", database.wal);
  database.where = in->where("url");
  root.take(in->finish());
  return database;
}

std::vector<queue_settings> read_queues(settings::section& root) {
  std::vector<queue_settings> queues;
  auto in = root.inner("queue");
  if (!in)
    return queues;
  for (auto& one : in->sections()) {
    auto queue = settings::read_queue(one);
    if (queue)
      queues.push_back(std::move(*queue));
    else
      root.take(tl::make_unexpected(std::move(queue).error()));
  }
  root.take(in->finish());
  return queues;
}

expected<std::string> contents(const std::filesystem::path& file) {
  const auto refused = [&file](const std::string& why) {
    return refuse(errc::invalid_config, file.string()
                                          + ": cannot be read: " + why
                                          + "; name the configuration file");
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown))
    return refused("it is a folder");
  errno = 0;
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  // Through the buffer, since a read error then sets a flag and throws nothing.
  if (in)
    text << in.rdbuf();
  if (!in || in.bad() || text.bad())
    return refused(std::generic_category().message(errno));
  return std::move(text).str();
}

} // namespace

std::filesystem::path configuration::folder() const {
  return std::filesystem::path{file}.parent_path();
}

const queue_settings*
configuration::find(std::string_view queue) const noexcept {
  const auto at = std::find_if(
    queues.begin(), queues.end(),
    [queue](const queue_settings& q) { return q.queue.name == queue; });
  return at == queues.end() ? nullptr : &*at;
}

std::optional<std::string> process_environment(const std::string& name) {
  const auto* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>{value} : std::nullopt;
}

expected<configuration>
read_configuration(const std::filesystem::path& file,
                   const environment_lookup& variables) {
  return contents(file).and_then([&](const std::string& text) {
    return parse_configuration(text, file.string(), variables);
  });
}

expected<configuration>
parse_configuration(std::string_view text, std::string file,
                    const environment_lookup& variables) {
  const auto tree = settings::parse_tree(text, file, variables);
  if (!tree)
    return tl::make_unexpected(tree.error());
  configuration made{std::move(file), {}, {}};
  settings::section root{made.file, {}, *tree};
  made.database = read_database(root);
  made.queues = read_queues(root);
  if (auto read = root.finish(); !read)
    return tl::make_unexpected(std::move(read).error());
  return made;
}

expected<subscription> list_columns(const queue_settings& queue,
                                    std::span<const table_column> found) {
  auto spec = queue.declared;
  for (const auto& c : found) {
    const auto same = [&c](const table_column& known) {
      return known.name == c.name;
    };
    if (std::none_of(spec.columns.begin(), spec.columns.end(), same))
      spec.columns.push_back({c.name, column_role::data, c.generated, c.type});
  }
  auto described = table::make(std::move(spec));
  if (!described)
    return tl::make_unexpected(
      std::move(described).error().in_subscription(queue.queue.name));
  auto full = queue.queue;
  full.description = std::move(*described);
  return full;
}

} // namespace inbox
