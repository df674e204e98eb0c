#include "inbox/postgres/server.hpp"

namespace inbox::postgres {

namespace {

/// SKIP LOCKED came with 9.5.
constexpr int oldest = 90500;

} // namespace

expected<server_facts> check_server(int number, std::string_view version,
                                    std::string_view banner) {
  if (banner.find("CockroachDB") != std::string_view::npos)
    return refuse(errc::server_too_old,
                  "the server is CockroachDB, whose row locks are not "
                  "Postgres'; PostgreSQL 9.5 or newer is needed");
  server_facts facts{"PostgreSQL",
                     std::string{version.substr(0, version.find(' '))}};
  if (number < oldest)
    return refuse(errc::server_too_old,
                  "the server is PostgreSQL " + facts.version
                    + ", which has no SKIP LOCKED; 9.5 or newer is needed");
  return facts;
}

} // namespace inbox::postgres
