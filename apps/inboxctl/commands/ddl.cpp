#include <iostream>

#include <CLI/CLI.hpp>

#include "json_text.hpp"
#include "workspace.hpp"

namespace inboxctl {

using inbox::expected;

namespace {

constexpr auto example = "Example:\n"
                         "  inboxctl ddl emails | sqlite3 jobs.db";

using texts = std::vector<std::pair<std::string, std::string>>;

/// Each queue's statements, by its name.
expected<texts> write_ddl(const workspace& work) {
  texts all;
  for (const auto& q : work.queues) {
    auto text = work.database().speaks().ddl(q.queue);
    if (!text)
      return tl::unexpected{std::move(text.error())};
    if (work.pool.listen_notify)
      *text += work.database().speaks().announcing_trigger(q.queue.description);
    all.emplace_back(q.queue.name, std::move(*text));
  }
  return all;
}

void print_json(const texts& all) {
  auto queues = json::array();
  for (const auto& [name, text] : all)
    queues.push_back({{"queue", name}, {"ddl", text}});
  std::cout << json{{"queues", queues}}.dump() << '\n';
}

/// Queues of one table give equal texts: each is printed once.
void print_text(const texts& all) {
  std::vector<std::string> printed;
  for (const auto& [name, text] : all) {
    if (std::find(printed.begin(), printed.end(), text) != printed.end())
      continue;
    std::cout << (printed.empty() ? "" : "\n") << text
              << (text.ends_with('\n') ? "" : "\n");
    printed.push_back(text);
  }
}

expected<exit_code> ddl(const std::vector<std::string>& names,
                        const surroundings& with) {
  const auto all = open_workspace(with, names).and_then(write_ddl);
  if (!all)
    return tl::unexpected{all.error()};
  with.options.json ? print_json(*all) : print_text(*all);
  return exit_code::success;
}

} // namespace

void add_ddl(CLI::App& to, action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* command = to.add_subcommand(
    "ddl", "Print the tables and the index the queues want; needs no server");
  command->add_option("QUEUE", *names, "Queues; all of them without a name");
  command->footer(example);
  command->callback([names, &chosen] {
    chosen = [names](const surroundings& with) { return ddl(*names, with); };
  });
}

} // namespace inboxctl
