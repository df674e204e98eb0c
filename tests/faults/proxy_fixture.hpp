#pragma once

// The test server behind a proxy that stalls and cuts. Included after
// CAF_SUITE is named.

#include "inbox/test/proxy.hpp"

#include "jobs_fixture.hpp"

namespace inbox::test {

/// A queue of one row, and sessions that a proxy is in between of.
struct proxy_fixture : jobs_fixture {
  static constexpr session_settings hasty{.connect_timeout = 400ms,
                                          .statement_timeout = 400ms};

  proxy_fixture() {
    if (is_skipped())
      return;
    between = std::make_unique<proxy>(
      static_cast<std::uint16_t>(std::stoi(one("SHOW port"))));
    serve_leases();
    create();
    enqueue(1);
  }

  std::unique_ptr<postgres::connection> closed(session_settings s) {
    return std::make_unique<postgres::connection>(
      unbox(postgres::read_address("postgres://inbox:pass@127.0.0.1:"
                                   + std::to_string(between->port())
                                   + "/inbox?sslmode=disable")),
      s);
  }

  std::unique_ptr<postgres::connection> through(session_settings s = {}) {
    auto c = closed(s);
    unbox(c->open());
    return c;
  }

  /// Whether the server comes to have no session that runs this.
  bool comes_to_rest(const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < until)
      if (count("SELECT count(*) FROM pg_stat_activity, pg_sleep(0.02) WHERE "
                "state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%"
                + text + "%'")
          == 0)
        return true;
    return false;
  }

  std::unique_ptr<proxy> between;
};

} // namespace inbox::test
