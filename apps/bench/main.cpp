// Drains a table by the library and by raw loops beside it, and compares.

#include <algorithm>
#include <iostream>

#include "databases.hpp"
#include "report.hpp"

namespace {

using namespace bench;

using scenarios = inbox::expected<std::vector<scenario>>;

scenarios all_scenarios([[maybe_unused]] const options& given) {
  std::vector<scenario> all;
  [[maybe_unused]] const auto add = [&](scenarios more) {
    return std::move(more).map([&](std::vector<scenario> found) {
      std::move(found.begin(), found.end(), std::back_inserter(all));
    });
  };
#ifdef BENCH_SQLITE
  if (auto added = add(sqlite_scenarios(given)); !added)
    return tl::make_unexpected(added.error());
#endif
#ifdef BENCH_POSTGRES
  if (!given.url.empty())
    if (auto added = add(postgres_scenarios(given)); !added)
      return tl::make_unexpected(added.error());
#endif
  return all;
}

bool is_wanted(const scenario& s, const options& given) {
  return given.scenarios.empty()
         || std::any_of(
           given.scenarios.begin(), given.scenarios.end(),
           [&](const auto& begin) { return s.name.starts_with(begin); });
}

inbox::expected<void> note_database(report& into, const scenario& s) {
  const auto database = s.name.substr(0, s.name.find('.'));
  for (const auto& [name, about] : into.databases)
    if (name == database)
      return {};
  return s.on->about().map([&](facts about) {
    into.databases.emplace_back(database, std::move(about));
  });
}

inbox::expected<report> run(const options& given,
                            const std::vector<scenario>& all) {
  report done{given, {}, {}};
  for (const auto& s : all) {
    if (auto noted = note_database(done, s); !noted)
      return tl::make_unexpected(noted.error());
    const auto rows = given.is_quick && s.is_row_by_row ? (given.rows + 9) / 10
                                                        : given.rows;
    auto came = measure(s, rows, given.rounds, [](const std::string& what) {
      std::cerr << what << '\n';
    });
    if (!came)
      return tl::make_unexpected(came.error());
    done.outcomes.push_back(std::move(*came));
  }
  return done;
}

int fail(int code, const auto& why) {
  std::cerr << "bench: " << why << '\n';
  return code;
}

} // namespace

int main(int argc, char** argv) {
  const auto [given, exit] = parse(argc, argv);
  if (exit)
    return *exit;
  auto all = all_scenarios(given);
  if (!all)
    return fail(1, all.error());
  std::erase_if(*all, [&](const scenario& s) { return !is_wanted(s, given); });
  if (all->empty())
    return fail(2, "no scenario is left; --list names them, and those of "
                   "Postgres need --url");
  if (given.list) {
    for (const auto& s : *all)
      std::cout << s.name << '\n';
    return 0;
  }
  const auto done = run(given, *all);
  if (!done)
    return fail(1, done.error());
  given.json ? print_json(std::cout, *done) : print_table(std::cout, *done);
  return done->is_exact() ? 0 : fail(1, "rows were lost or handled twice");
}
