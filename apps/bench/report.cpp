#include "report.hpp"

#include <algorithm>
#include <ostream>
#include <thread>

#include <fmt/core.h>

#include <sys/utsname.h>

namespace bench {

namespace {

void print_facts(std::ostream& to, const std::string& of, const facts& all) {
  to << of << ':';
  for (const auto& [name, value] : all)
    to << "  " << name << " = " << value;
  to << '\n';
}

std::string line(const outcome& o, const series& s) {
  const auto rate = rows_per_second(s);
  const auto server = server_cpu(s, o.rows);
  const auto is_library = &s == &o.subjects.front();
  return fmt::format(
    "  {:<16} {:>4} {:>9.0f} {:>18} {:>8.1f} {:>8} {:>7}{}\n", s.subject,
    s.connections, rate.median,
    fmt::format("{:.0f}-{:.0f}", rate.least, rate.most), client_cpu(s, o.rows),
    server ? fmt::format("{:.1f}", *server) : "-",
    is_library ? "" : fmt::format("{:.2f}", ratio(o.subjects.front(), s)),
    is_exact(s, o.rows) ? "" : "  ROWS LOST OR REPEATED");
}

} // namespace

facts machine(const options& given) {
  utsname kernel{};
  uname(&kernel);
#ifdef NDEBUG
  const std::string build = "optimised";
#else
  const std::string build = "DEBUG: the figures mean nothing";
#endif
  return {{"cores", std::to_string(std::thread::hardware_concurrency())},
          {"kernel", std::string{kernel.sysname} + " " + kernel.release},
          {"build", build},
          {"rows", std::to_string(given.rows)},
          {"rounds", std::to_string(given.rounds)}};
}

bool report::is_exact() const {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const outcome& o) {
    return std::all_of(
      o.subjects.begin(), o.subjects.end(),
      [&](const series& s) { return bench::is_exact(s, o.rows); });
  });
}

void print_table(std::ostream& to, const report& all) {
  print_facts(to, "machine", machine(all.given));
  for (const auto& [name, about] : all.databases)
    print_facts(to, name, about);
  to << fmt::format("\n  {:<16} {:>4} {:>9} {:>18} {:>8} {:>8} {:>7}\n", "",
                    "conn", "rows/s", "min-max", "client", "server", "inbox");
  to << fmt::format("  {:<16} {:>4} {:>9} {:>18} {:>8} {:>8} {:>7}\n", "", "",
                    "median", "", "us/row", "us/row", "/ it");
  for (const auto& o : all.outcomes) {
    to << o.scenario << ", " << o.rows << " rows\n";
    for (const auto& s : o.subjects)
      to << line(o, s);
  }
}

} // namespace bench
