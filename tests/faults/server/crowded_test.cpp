// A server, or a role on it, that has no connection left to give.
#define CAF_SUITE server_crowded
#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

#include "inbox/test/own_server.hpp"
#include "inbox/test/server.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

constexpr auto outage = "no session with the database";
constexpr int connections = 6;

/// A server of a few connections, one of which is the stand's.
struct crowd {
  crowd() { s.sessions = 4; }

  /// Others take every connection but `left`.
  void fill(int left) {
    while (static_cast<int>(others.size()) < connections - 1 - left)
      others.push_back(s.client());
  }

  subscription queue() const {
    return s.queue({.workers = 2, .poll_interval = 20ms, .lease = 3s});
  }

  void check_works(std::int64_t rows) {
    INBOX_UNTIL(s, s.count() == 0);
    CAF_CHECK_EQUAL(s.settlements(), rows);
  }

  calls seen;
  own_server server{"max_connections=" + std::to_string(connections),
                    "superuser_reserved_connections=0", "max_wal_senders=0"};
  stand s{cell::postgres_lease, {}, server.url()};
  std::vector<std::unique_ptr<raw_database>> others;
};

void check_explained(const failure& why, const char* remedy) {
  CAF_MESSAGE(why.to_string());
  CAF_CHECK(why.code() == errc::connect);
  CAF_CHECK(why.is_retryable());
  CAF_CHECK_EQUAL(why.native(), "53300");
  CAF_CHECK(why.message().find(remedy) != std::string::npos);
}

void refuse_start() {
  crowd c;
  c.fill(0);
  check_explained(c.s.refusal_of(c.queue()), "max_connections");
  c.others.clear();
  c.s.add();
  c.s.serve(c.queue(), c.seen.answering(ack()));
  c.check_works(1);
}

/// One connection for a pool that wants four: the queue runs slower, says so
/// once, and takes the others when they come free.
void make_do() {
  crowd c;
  c.fill(2);
  for (int i = 0; i < 20; ++i)
    c.s.add();
  const auto& served = c.s.serve(c.queue(), c.seen.answering(ack()));
  c.check_works(20);
  c.others.clear();
  for (int i = 0; i < 20; ++i)
    c.s.add();
  c.check_works(40);
  CAF_CHECK(c.s.logged(outage) <= 1);
  CAF_CHECK_EQUAL(served.snapshot().queues.at(0).failed_claims, 0u);
}

/// The service's own role, which may have so many sessions; -1 for any.
void limit_role(crowd& c, int sessions) {
  c.s.db().run("ALTER ROLE served CONNECTION LIMIT "
               + std::to_string(sessions));
}

void make_role(crowd& c) {
  const auto schema = c.s.application();
  c.s.db().run("CREATE ROLE served LOGIN; GRANT USAGE ON SCHEMA " + schema
               + " TO served; GRANT ALL ON ALL TABLES IN SCHEMA " + schema
               + " TO served");
  c.s.other_url = c.s.address();
  c.s.other_url->replace(c.s.other_url->find("inbox@"), 5, "served");
}

void start_at_limit() {
  crowd c;
  make_role(c);
  limit_role(c, 0);
  check_explained(c.s.refusal_of(c.queue()), "CONNECTION LIMIT");
}

/// The sessions end, and no new one is to be had for a while.
void lose_for_a_while() {
  crowd c;
  make_role(c);
  auto& served = c.s.serve(c.queue(), c.seen.answering(ack()));
  c.s.add();
  c.check_works(1);
  limit_role(c, 0);
  c.s.cut_sessions();
  INBOX_UNTIL(c.s, c.s.logged(outage) == 1);
  c.s.add();
  INBOX_UNTIL(c.s, c.s.figures(served).failed_claims >= 2);
  limit_role(c, -1);
  c.check_works(2);
  CAF_CHECK_EQUAL(c.s.logged(outage), 1u);
  CAF_CHECK(c.s.logged("", log_level::warning) <= 2); // and of the claims
}

} // namespace

CAF_TEST(a full server refuses the start and says what to do) {
  if (postgres_url())
    INBOX_GUARDED(refuse_start())
}

CAF_TEST(a pool makes do with the connections there are) {
  if (postgres_url())
    INBOX_GUARDED(make_do())
}

CAF_TEST(a role at its limit refuses the start and says what to do) {
  if (postgres_url())
    INBOX_GUARDED(start_at_limit())
}

CAF_TEST(sessions that are lost at the limit come back below it) {
  if (postgres_url())
    INBOX_GUARDED(lose_for_a_while())
}
