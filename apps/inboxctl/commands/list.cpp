#include <iostream>

#include <CLI/CLI.hpp>

#include "inspector.hpp"
#include "json_text.hpp"
#include "text_table.hpp"
#include "workspace.hpp"

namespace inboxctl {

using inbox::expected;

namespace {

constexpr auto example = "Example:\n"
                         "  inboxctl list emails --state delayed --limit 10";

struct list_options {
  std::string queue;
  std::string state;
  std::uint32_t limit = 50;

  std::optional<row_state> only() const {
    for (const auto s : inbox::sql::row_states)
      if (to_string(s) == state)
        return s;
    return std::nullopt;
  }
};

json to_json(const inbox::value& v) {
  return v.is_null() ? json(nullptr) : id_json(v);
}

void print_json(const list_options& how, const std::vector<row_summary>& rows) {
  auto all = json::array();
  for (const auto& r : rows)
    all.push_back({{"id", to_json(r.id)},
                   {"group", to_json(r.group)},
                   {"state", r.state},
                   {"attempt", to_json(r.attempt)},
                   {"retry_after", to_json(r.retry_after)},
                   {"locked_until", to_json(r.locked_until)},
                   {"processed_at", to_json(r.processed_at)}});
  std::cout << json{{"queue", how.queue}, {"rows", all}}.dump(
    -1, ' ', false, json::error_handler_t::replace)
            << '\n';
}

std::string to_text(const inbox::value& v) {
  return v.is_null() ? "-" : v.view().to_display();
}

void print_text(const std::vector<row_summary>& rows) {
  std::vector<std::vector<std::string>> lines{{"id", "group", "state",
                                               "attempt", "retry_after",
                                               "locked_until", "processed_at"}};
  for (const auto& r : rows)
    lines.push_back({to_text(r.id), to_text(r.group), r.state,
                     to_text(r.attempt), to_text(r.retry_after),
                     to_text(r.locked_until), to_text(r.processed_at)});
  std::cout << aligned(lines);
}

expected<std::vector<row_summary>> read_rows(const list_options& how,
                                             const workspace& work) {
  auto through = connect(work.database());
  if (!through)
    return tl::unexpected{std::move(through.error())};
  return inspector::make(work.database().speaks(), work.queues.front().queue)
    .and_then([&](const inspector& in) {
      return in.list(**through, how.only(), how.limit);
    });
}

expected<exit_code> list(const list_options& how, const surroundings& with) {
  const auto rows
    = open_workspace(with, {how.queue}).and_then([&](const workspace& w) {
        return read_rows(how, w);
      });
  if (!rows)
    return tl::unexpected{rows.error()};
  with.options.json ? print_json(how, *rows) : print_text(*rows);
  return exit_code::success;
}

} // namespace

void add_list(CLI::App& to, action& chosen) {
  auto how = std::make_shared<list_options>();
  auto* command = to.add_subcommand("list",
                                    "List a queue's rows in claim order");
  command->add_option("QUEUE", how->queue, "The queue")->required();
  command->add_option("--state", how->state, "Rows of this state alone")
    ->check(CLI::IsMember({"ready", "delayed", "in-work", "processed"}));
  command->add_option("--limit", how->limit, "Rows at most")
    ->capture_default_str()
    ->type_name("N")
    ->check(CLI::PositiveNumber);
  command->footer(example);
  command->callback([how, &chosen] {
    chosen = [how](const surroundings& with) { return list(*how, with); };
  });
}

} // namespace inboxctl
