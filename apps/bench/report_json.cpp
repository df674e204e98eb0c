#include <ostream>

#include <nlohmann/json.hpp>

#include "report.hpp"

namespace bench {

namespace {

using json = nlohmann::ordered_json;

json to_json(const facts& all) {
  json object = json::object();
  for (const auto& [name, value] : all)
    object[name] = value;
  return object;
}

json to_json(const series& s, const outcome& o) {
  const auto rate = rows_per_second(s);
  const auto server = server_cpu(s, o.rows);
  json runs = json::array();
  for (const auto& run : s.runs)
    runs.push_back({{"rows_per_second", run.rows_per_second()},
                    {"handled", run.handled},
                    {"repeated", run.repeated},
                    {"left", run.left}});
  return {{"subject", s.subject},
          {"connections", s.connections},
          {"rows_per_second",
           {{"median", rate.median}, {"min", rate.least}, {"max", rate.most}}},
          {"client_us_per_row", client_cpu(s, o.rows)},
          {"server_us_per_row", server ? json(*server) : json()},
          {"inbox_ratio", ratio(o.subjects.front(), s)},
          {"exact", is_exact(s, o.rows)},
          {"runs", std::move(runs)}};
}

json to_json(const outcome& o) {
  json subjects = json::array();
  for (const auto& s : o.subjects)
    subjects.push_back(to_json(s, o));
  return {{"scenario", o.scenario},
          {"rows", o.rows},
          {"subjects", std::move(subjects)}};
}

} // namespace

void print_json(std::ostream& to, const report& all) {
  json object{{"machine", to_json(machine(all.given))},
              {"databases", json::object()},
              {"scenarios", json::array()}};
  for (const auto& [name, about] : all.databases)
    object["databases"][name] = to_json(about);
  for (const auto& o : all.outcomes)
    object["scenarios"].push_back(to_json(o));
  to << object.dump(2) << '\n';
}

} // namespace bench
