#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "inspector.hpp"
#include "json_text.hpp"
#include "text_table.hpp"
#include "workspace.hpp"

namespace inboxctl {

using inbox::expected;

namespace {

constexpr auto example = "Example:\n"
                         "  inboxctl stats emails --json";

struct counted {
  std::string queue;
  queue_counts counts;

  std::uint64_t of(row_state state) const {
    const auto at = counts.rows.find(state);
    return at == counts.rows.end() ? 0 : at->second;
  }
};

expected<std::vector<counted>> count_all(const workspace& work) {
  auto through = connect(work.database());
  if (!through)
    return tl::unexpected{std::move(through.error())};
  std::vector<counted> all;
  for (const auto& q : work.queues) {
    auto counts = inspector::make(work.database().speaks(), q.queue)
                    .and_then(
                      [&](const inspector& in) { return in.count(**through); });
    if (!counts)
      return tl::unexpected{std::move(counts.error())};
    all.push_back({q.queue.name, std::move(*counts)});
  }
  return all;
}

/// To the millisecond; below that the two clocks differ.
json seconds_json(const std::optional<double>& seconds) {
  return seconds ? json(std::round(*seconds * 1000) / 1000) : json(nullptr);
}

json attempts_json(const queue_counts& counts) {
  auto object = json::object();
  for (const auto& [attempt, count] : counts.attempts)
    object[attempt] = count;
  return object;
}

void print_json(const std::vector<counted>& all) {
  auto queues = json::array();
  for (const auto& c : all)
    queues.push_back(
      {{"queue", c.queue},
       {"ready", c.of(row_state::ready)},
       {"delayed", c.of(row_state::delayed)},
       {"in_work", c.of(row_state::in_work)},
       {"processed", c.of(row_state::processed)},
       {"dead", c.counts.dead},
       {"oldest_ready_seconds", seconds_json(c.counts.oldest_ready_seconds)},
       {"attempts", attempts_json(c.counts)}});
  std::cout << json{{"queues", queues}}.dump() << '\n';
}

/// "1:20 2:3", the attempts and how many rows are at each.
std::string histogram(const queue_counts& counts) {
  std::string text;
  for (const auto& [attempt, count] : counts.attempts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", attempt, count);
  return text.empty() ? "-" : text;
}

void print_text(const std::vector<counted>& all) {
  std::vector<std::vector<std::string>> lines{{"queue", "ready", "delayed",
                                               "in work", "processed", "dead",
                                               "oldest ready", "attempts"}};
  for (const auto& c : all)
    lines.push_back({c.queue, std::to_string(c.of(row_state::ready)),
                     std::to_string(c.of(row_state::delayed)),
                     std::to_string(c.of(row_state::in_work)),
                     std::to_string(c.of(row_state::processed)),
                     std::to_string(c.counts.dead),
                     c.counts.oldest_ready_seconds
                       ? fmt::format("{:.1f}s", *c.counts.oldest_ready_seconds)
                       : "-",
                     histogram(c.counts)});
  std::cout << aligned(lines);
}

expected<exit_code> stats(const std::vector<std::string>& names,
                          const surroundings& with) {
  const auto all = open_workspace(with, names).and_then(count_all);
  if (!all)
    return tl::unexpected{all.error()};
  with.options.json ? print_json(*all) : print_text(*all);
  return exit_code::success;
}

} // namespace

void add_stats(CLI::App& to, action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* command = to.add_subcommand("stats", "Count the queues' rows by state");
  command->add_option("QUEUE", *names, "Queues; all of them without a name");
  command->footer(example);
  command->callback([names, &chosen] {
    chosen = [names](const surroundings& with) { return stats(*names, with); };
  });
}

} // namespace inboxctl
