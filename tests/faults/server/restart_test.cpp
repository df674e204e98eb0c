// A server that restarts, as an operator or a crash makes it, under services
// that go on.
#define CAF_SUITE server_restart
#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

#include <condition_variable>
#include <future>
#include <mutex>

#include "inbox/test/own_server.hpp"
#include "inbox/test/server.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using ending = own_server::ending;

constexpr auto outage = "no session with the database";
constexpr auto recovery = "the database is reached again";

void add_many(stand& s, int rows) {
  s.db().run("INSERT INTO " + s.name()
             + " (name, payload) SELECT 'emails', '' FROM generate_series(1, "
             + std::to_string(rows) + ")");
}

/// Some work, so that rows are under way whenever the server goes.
outcome work(const call&, context&) {
  std::mutex alone;
  std::unique_lock lock{alone};
  std::condition_variable{}.wait_for(lock, 2ms);
  return ack();
}

/// Every row ended, and the audit saw each exactly once.
void check_settled_once(stand& s, std::int64_t rows) {
  INBOX_UNTIL(s, s.count() == 0);
  CAF_CHECK_EQUAL(s.settlements(), rows);
  CAF_CHECK_EQUAL(
    s.db().count("SELECT count(DISTINCT id) FROM " + s.name("settlements")),
    rows);
}

/// One line when the database goes and one when it is back, and beside them
/// what does not grow with the number of workers: one for the claims, one for
/// the settlements, one where a claim still went through between two losses.
void check_lines(const stand& s, std::size_t outages) {
  const auto gone = s.logged(outage);
  const auto lines = s.logged("", log_level::warning);
  CAF_MESSAGE("outages told: " << gone << ", lines in all: " << lines);
  CAF_CHECK(gone <= outages);
  CAF_CHECK_EQUAL(s.logged(recovery), gone);
  CAF_CHECK(lines <= 4 * outages);
}

/// A server and a stand on it. Commits are real ones, so that a crash forgets
/// none that a client has seen.
struct own_stand {
  explicit own_stand(cell where) : s{where, {}, server.url()} {
    s.how_connected.connect_timeout = 2s;
    s.sessions = workers + 2;
  }
  service& serve(handler with, duration lease = 3s, duration poll = 20ms) {
    return s.serve(
      s.queue({.workers = workers, .poll_interval = poll, .lease = lease}),
      std::move(with));
  }
  /// A handler that waits at the gate.
  handler waiting() {
    return seen.answering([this](const call&, context& ctx) {
      gate.wait(ctx);
      return ack();
    });
  }

  static constexpr std::uint32_t workers = 8;
  door gate;
  calls seen;
  own_server server{"synchronous_commit=on"};
  stand s;
};

/// The server restarts again and again in the middle of the work.
void restart_often(cell where, ending how) {
  if (!postgres_url())
    return;
  constexpr int restarts = 4;
  constexpr int rows = 250;
  own_stand own{where};
  auto& s = own.s;
  auto& served = own.serve(own.seen.answering(work));
  for (int i = 0; i < restarts; ++i) {
    add_many(s, rows);
    const auto before = own.seen.size();
    INBOX_UNTIL(s, own.seen.size() > before + 50);
    own.server.restart(how);
    s.reconnect();
  }
  check_settled_once(s, restarts * rows);
  CAF_CHECK(served.snapshot().sessions_lost > 0);
  check_lines(s, restarts);
}

/// The server stays away for a while with rows in work.
void stay_away(cell where, ending how) {
  if (!postgres_url())
    return;
  own_stand own{where};
  auto& s = own.s;
  add_many(s, own.workers);
  auto& served = own.serve(own.waiting());
  INBOX_UNTIL(s, own.seen.size() == own.workers);
  own.server.stop(how);
  if (s.is_lease()) // its extensions find out, a row lock's settlements do
    INBOX_UNTIL(s, s.logged(outage) == 1);
  own.gate.open();
  INBOX_UNTIL(s, own.seen.ended() == own.workers && s.logged(outage) == 1);
  const auto gone = host_now();
  INBOX_UNTIL(s, host_now() > gone + 4s); // leases end, attempts repeat
  own.server.start();
  s.reconnect();
  add_many(s, 20);
  check_settled_once(s, own.workers + 20);
  check_lines(s, 1);
  CAF_CHECK_EQUAL(s.logged(outage), 1u);
  INBOX_UNTIL(s, s.figures(served).in_work == 0);
}

/// A crash while handlers run. A lease outlives it, and its row is settled as
/// if nothing had been; a row lock does not, and its row is run again.
void crash_at_work(cell where) {
  if (!postgres_url())
    return;
  own_stand own{where};
  auto& s = own.s;
  add_many(s, own.workers);
  own.serve(own.waiting(), 60s);
  INBOX_UNTIL(s, own.seen.size() == own.workers);
  own.server.restart(ending::immediate);
  s.reconnect();
  own.gate.open();
  check_settled_once(s, own.workers);
  CAF_CHECK_EQUAL(own.seen.size(),
                  std::size_t(s.is_lease() ? 1 : 2) * own.workers);
}

/// A service at rest, its sessions free: it finds out that they have ended
/// when it needs them, and opens others instead of failing with each.
void restart_at_rest(cell where, ending how) {
  if (!postgres_url())
    return;
  own_stand own{where};
  auto& s = own.s;
  add_many(s, 200);
  auto& served = own.serve(own.seen.answering(work), 3s, 1h);
  INBOX_UNTIL(s, s.count() == 0 && s.figures(served).held == 0);
  CAF_CHECK(served.snapshot().sessions_open > 2);
  own.server.restart(how);
  s.reconnect();
  unbox(served.enqueue("emails", new_row{}));
  check_settled_once(s, 201);
  CAF_CHECK_EQUAL(s.figures(served).failed_claims, 0u);
  CAF_CHECK_EQUAL(s.logged("", log_level::warning), 0u);
}

} // namespace

CAF_TEST(B65 a fast restart loses no row: lease) {
  INBOX_GUARDED(restart_often(cell::postgres_lease, ending::fast))}

CAF_TEST(B65 a fast restart loses no row: row lock) {
  INBOX_GUARDED(restart_often(cell::postgres_row_lock, ending::fast))}

CAF_TEST(B65 a crash of the server loses no row: lease) {
  INBOX_GUARDED(restart_often(cell::postgres_lease, ending::immediate))}

CAF_TEST(B65 a crash of the server loses no row: row lock) {
  INBOX_GUARDED(restart_often(cell::postgres_row_lock, ending::immediate))}

CAF_TEST(B65 a server that stays away is one outage: lease) {
  INBOX_GUARDED(stay_away(cell::postgres_lease, ending::fast))}

CAF_TEST(B65 a server that stays away is one outage: row lock) {
  INBOX_GUARDED(stay_away(cell::postgres_row_lock, ending::immediate))}

CAF_TEST(B65 a restart costs a service at rest nothing: lease) {
  INBOX_GUARDED(restart_at_rest(cell::postgres_lease, ending::fast))}

CAF_TEST(B65 a restart costs a service at rest nothing: row lock) {
  INBOX_GUARDED(restart_at_rest(cell::postgres_row_lock, ending::immediate))}

CAF_TEST(B65 a lease outlives a crash of the server) {
  INBOX_GUARDED(crash_at_work(cell::postgres_lease))}

CAF_TEST(B65 a row lock does not outlive a crash of the server) {
  INBOX_GUARDED(crash_at_work(cell::postgres_row_lock))}

CAF_TEST(B65 a service may start before its server) {
  if (!postgres_url())
    return;
  INBOX_GUARDED({
    own_stand own{cell::postgres_lease};
    add_many(own.s, 3);
    own.server.stop(ending::fast);
    own.s.how_served.wait_for_database = true;
    auto& served = own.s.make_service();
    served.serve(own.s.queue({.poll_interval = 20ms}),
                 own.seen.answering(ack()));
    auto started = std::async(std::launch::async,
                              [&] { return served.start(); });
    INBOX_UNTIL(own.s, own.s.logged(outage) == 1);
    own.server.start();
    own.s.reconnect();
    CAF_CHECK(started.get().has_value());
    check_settled_once(own.s, 3);
    check_lines(own.s, 1);
  })
}
