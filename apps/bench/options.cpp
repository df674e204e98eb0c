#include "options.hpp"

#include <CLI/CLI.hpp>

namespace bench {

namespace {

void add_options(CLI::App& app, options& o) {
  app
    .add_option("--url", o.url, "Postgres, as postgres://...; left out without")
    ->envname("INBOX_BENCH_POSTGRES_URL");
  app.add_option("--dir", o.dir, "folder for SQLite's file")
    ->capture_default_str()
    ->check(CLI::ExistingDirectory);
  app.add_option("--scenario", o.scenarios,
                 "only scenarios whose name begins so; may be repeated");
  app.add_option("--rows", o.rows, "rows to drain each time")
    ->capture_default_str()
    ->check(CLI::Range(1, 10'000'000));
  app.add_option("--rounds", o.rounds, "drains of each kind")
    ->capture_default_str()
    ->check(CLI::Range(1, 1000));
  app.add_option("--fillfactor", o.fillfactor, "of the table in Postgres")
    ->capture_default_str()
    ->check(CLI::Range(10, 100));
  app.add_flag("--quick", o.is_quick,
               "two rounds, and a tenth of the rows where each has a commit");
  app.add_flag("--json", o.json, "one JSON object instead of a table");
  app.add_flag("--list", o.list, "name the scenarios and end");
}

} // namespace

parsed parse(int argc, char** argv) {
  parsed p;
  p.given.dir = std::filesystem::temp_directory_path();
  CLI::App app{"Drains a table by the library and by raw loops on the "
               "database's C interface, in turn, and compares them."};
  add_options(app, p.given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    p.exit = app.exit(e) == 0 ? 0 : 2;
  }
  if (p.given.is_quick && app.count("--rounds") == 0)
    p.given.rounds = 2;
  return p;
}

} // namespace bench
