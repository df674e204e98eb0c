// What ends or silences the connection that listens, under a service that
// finds nothing by its poll.
#define CAF_SUITE server_listener
#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

#include "inbox/test/own_server.hpp"
#include "inbox/test/proxy.hpp"
#include "inbox/test/server.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using ending = own_server::ending;

constexpr auto outage = "not listening";

service& listening(stand& s, calls& seen) {
  s.listen_notify = true;
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  INBOX_UNTIL(s, served.snapshot().listener_connected);
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  return served;
}

/// A row that another client adds and announces.
void check_wakes(stand& s) {
  s.add();
  s.db().run("SELECT pg_notify('" + s.application() + ".jobs', 'emails')");
  INBOX_UNTIL(s, s.count() == 0);
}

void restart(ending how) {
  calls seen;
  own_server server;
  stand s{cell::postgres_lease, {}, server.url()};
  auto& served = listening(s, seen);
  check_wakes(s);
  s.add(); // announced by nobody: found when it listens again
  server.restart(how);
  s.reconnect();
  INBOX_UNTIL(s, s.count() == 0);
  INBOX_UNTIL(s, served.snapshot().listener_connected);
  check_wakes(s);
  CAF_CHECK_EQUAL(s.logged(outage, log_level::warning), 1u);
}

void stop_without_server() {
  calls seen;
  own_server server;
  stand s{cell::postgres_lease, {}, server.url()};
  auto& served = listening(s, seen);
  server.stop(ending::fast);
  INBOX_UNTIL(s, s.logged(outage, log_level::warning) == 1);
  INBOX_UNTIL(s, !served.snapshot().listener_connected);
  s.stop(served);
  CAF_CHECK_EQUAL(s.logged("did not close in time"), 0u);
  server.start();
  s.reconnect();
}

/// The network goes silent and says nothing of it.
void go_silent() {
  calls seen;
  stand s{cell::postgres_lease};
  const auto port = s.db().ask("SHOW port").at(0).at(0).value();
  proxy between{static_cast<std::uint16_t>(std::stoi(port))};
  s.other_url = "postgres://inbox:pass@127.0.0.1:"
                + std::to_string(between.port()) + "/inbox?sslmode=disable";
  s.how_connected = {.connect_timeout = 1s, .statement_timeout = 2s};
  auto& served = listening(s, seen);
  between.arm(fault::stall, "SELECT 1");
  INBOX_UNTIL(s, s.logged(outage, log_level::warning) == 1);
  CAF_CHECK(!served.snapshot().listener_connected);
  s.add();
  between.heal();
  INBOX_UNTIL(s, s.count() == 0);
  check_wakes(s);
}

} // namespace

CAF_TEST(B37 a service listens again after a restart) {
  if (postgres_url())
    INBOX_GUARDED(restart(ending::fast))
}

CAF_TEST(B37 a service listens again after a crash of the server) {
  if (postgres_url())
    INBOX_GUARDED(restart(ending::immediate))
}

CAF_TEST(B37 a service that waits to listen again stops) {
  if (postgres_url())
    INBOX_GUARDED(stop_without_server())
}

CAF_TEST(B37 a silent network is noticed and the service listens again) {
  if (postgres_url())
    INBOX_GUARDED(go_silent())
}
