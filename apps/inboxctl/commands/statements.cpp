#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "json_text.hpp"
#include "workspace.hpp"

namespace inboxctl {

using inbox::expected;

namespace {

constexpr auto example = "Example:\n"
                         "  inboxctl statements emails";

/// One statement of a queue, with what is said of it.
struct shown {
  std::string title; ///< "claim, at most 10 rows"
  inbox::event what;
  const inbox::statement& text;
};

std::string claim_title(std::uint32_t limit) {
  return limit == 0 ? "claim"
                    : fmt::format("claim, at most {} row{}", limit,
                                  limit == 1 ? "" : "s");
}

std::vector<shown> all_statements(const inbox::statement_set& set) {
  std::vector<shown> all;
  for (const auto& c : set.claims()) {
    all.push_back({claim_title(c.limit), inbox::event::claim, c.text});
    if (c.marked)
      all.push_back({claim_title(c.limit) + ", from a mark on",
                     inbox::event::claim, *c.marked});
  }
  for (std::uint8_t at = 0; at < inbox::event_count; ++at) {
    const auto e = static_cast<inbox::event>(at);
    for (const auto& s : set.at(e))
      all.push_back({std::string{to_string(e)}, e, s});
  }
  return all;
}

/// What a placeholder stands for; an insert's says which column.
std::string meaning(const inbox::param& p, const inbox::table& t) {
  auto text = std::string{to_string(p.what)};
  if (p.what == inbox::param::meaning::value)
    text += " of " + t.columns()[p.column].name;
  return text;
}

/// The same for people, who have not read the library's headers.
std::string explained(const inbox::param& p, const inbox::table& t) {
  using enum inbox::param::meaning;
  const auto name = meaning(p, t);
  switch (p.what) {
    case group: return name + ", the one the queue reads";
    case now: return name + ", the present instant in UTC";
    case limit: return name + ", rows to take at most";
    case low_mark: return name + ", no claimable row is due before it";
    case token: return name + ", the lease end that is written";
    case id: return name + " of one row";
    case ids: return name + " of the rows, as one array";
    case held_token: return name + ", the lease end the row must still hold";
    case held_attempt: return name + ", the count the row must still hold";
    case retry_at: return name + ", the instant the row is due again";
    case retry_delay: return name + " until the row is due again";
    case destination: return name + ", the dead letters' group";
    case value: break;
  }
  return name;
}

void print_text(const inbox::statement_set& set, const inbox::dialect& speaks) {
  const auto& t = set.description();
  std::cout << fmt::format("-- queue {}: table {}, {} form, {}\n",
                           set.of().name, t.name().qualified(),
                           to_string(t.kind()), speaks.name());
  for (const auto& s : all_statements(set)) {
    std::cout << "\n-- " << s.title << '\n' << s.text.text << ";\n";
    for (std::size_t n = 0; n < s.text.params.size(); ++n)
      std::cout << fmt::format("--   {} {}: {}\n", n + 1,
                               speaks.placeholder(n + 1),
                               explained(s.text.params[n], t));
  }
}

json to_json(const inbox::statement_set& set) {
  auto statements = json::array();
  for (const auto& s : all_statements(set)) {
    auto parameters = json::array();
    for (const auto& p : s.text.params)
      parameters.push_back(meaning(p, set.description()));
    statements.push_back({{"event", to_string(s.what)},
                          {"title", s.title},
                          {"text", s.text.text},
                          {"parameters", parameters}});
  }
  return {{"queue", set.of().name},
          {"table", set.description().name().qualified()},
          {"form", to_string(set.description().kind())},
          {"statements", statements}};
}

expected<std::vector<inbox::shared_statements>> build(const workspace& work) {
  std::vector<inbox::shared_statements> all;
  for (const auto& q : work.queues) {
    auto set = work.database().speaks().build(q.queue);
    if (!set)
      return tl::unexpected{std::move(set.error())};
    all.push_back(std::move(*set));
  }
  return all;
}

expected<exit_code> statements(const std::vector<std::string>& names,
                               const surroundings& with) {
  const auto work = open_workspace(with, names);
  if (!work)
    return tl::unexpected{work.error()};
  const auto sets = build(*work);
  if (!sets)
    return tl::unexpected{sets.error()};
  auto queues = json::array();
  for (const auto& set : *sets) {
    if (with.options.json)
      queues.push_back(to_json(*set));
    else
      print_text(*set, work->database().speaks());
  }
  if (with.options.json)
    std::cout << json{{"queues", queues}}.dump() << '\n';
  return exit_code::success;
}

} // namespace

void add_statements(CLI::App& to, action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* command = to.add_subcommand(
    "statements", "Print every statement the queues run; needs no server");
  command->add_option("QUEUE", *names, "Queues; all of them without a name");
  command->footer(example);
  command->callback([names, &chosen] {
    chosen = [names](const surroundings& with) {
      return statements(*names, with);
    };
  });
}

} // namespace inboxctl
