#define CAF_SUITE session_pool
#include "inbox/test/actors.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

const failure refused{errc::connect, "the database does not listen"};

/// Somebody who borrows sessions.
struct borrower_log {
  std::vector<lent> loans;
  std::vector<not_lent> refusals;
  std::vector<trip_done> trips;
};

struct fixture : test::actor_fixture {
  fixture()
    : table{std::make_shared<test::scripted_table>(
      test::scripted_queue(form::lease), wall())} {}

  void start(session_book::settings book) {
    session_pool_settings s;
    s.database = table->database(book.one_writer);
    s.book = book;
    s.log = log.sink();
    s.make_session = [this](session_place place,
                            std::shared_ptr<connection> on) {
      return spawn_cooperative_session(sys, std::move(place), std::move(on),
                                       wall());
    };
    counters = s.counters;
    pool = keep(spawn_session_pool(sys, std::move(s)));
    asks = keep(sys.spawn(
      [](borrower::pointer, borrower_log* to) -> borrower::behavior_type {
        return {[to](const lent& l) { to->loans.push_back(l); },
                [to](const not_lent& n) { to->refusals.push_back(n); },
                [to](const trip_done& t) { to->trips.push_back(t); }};
      },
      &heard));
  }

  void ask(std::uint64_t ticket, loan_purpose purpose) {
    send(pool, borrow{ticket, purpose, asks});
  }

  std::vector<std::uint64_t> lent_tickets() const {
    std::vector<std::uint64_t> tickets;
    for (const auto& l : heard.loans)
      tickets.push_back(l.ticket);
    return tickets;
  }

  /// The next trip on a session loses it.
  void break_loan(std::size_t which) {
    table->fail_next_trip({errc::connection_lost, "cut"});
    trip t;
    t.statements = test::scripted_queue(form::lease);
    t.claim = claim_order{1, 1};
    send(heard.loans[which].on, run_trip{heard.loans[which].loan, t, asks, {}});
    CAF_REQUIRE(heard.trips.back().result.session_lost.has_value());
    send(pool, give_back{heard.loans[which].loan, false});
  }

  std::shared_ptr<test::scripted_table> table;
  std::shared_ptr<pool_counters> counters;
  session_pool pool;
  borrower asks;
  borrower_log heard;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(session_pool_tests, fixture)

CAF_TEST(B69 the last free session is never lent for a claim) {
  start({.size = 2});
  ask(1, loan_purpose::claim);
  ask(2, loan_purpose::claim);
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{1}));
  ask(3, loan_purpose::settle);
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{1, 3}));
  send(pool, give_back{heard.loans[1].loan, true});
  CAF_CHECK_EQUAL(heard.loans.size(), 2u);
  send(pool, give_back{heard.loans[0].loan, true});
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{1, 3, 2}));
}

CAF_TEST(a session that comes free goes to settlements before claims) {
  start({.size = 2});
  ask(1, loan_purpose::settle);
  ask(2, loan_purpose::settle);
  ask(3, loan_purpose::claim);
  ask(4, loan_purpose::other);
  ask(5, loan_purpose::extend);
  ask(6, loan_purpose::settle);
  for (std::size_t n = 0; n < 6; ++n)
    send(pool, give_back{heard.loans[n].loan, true});
  CAF_CHECK_EQUAL(lent_tickets(),
                  (std::vector<std::uint64_t>{1, 2, 6, 5, 4, 3}));
}

CAF_TEST(an idle pool opens no session) {
  start({.size = 4});
  advance(1h);
  CAF_CHECK_EQUAL(table->opened(), 0u);
  CAF_CHECK_EQUAL(timers(), 0u);
}

CAF_TEST(an outage refuses claims at once and writes one line to the log) {
  start({.size = 4});
  table->fail_opens(1000, refused);
  for (std::uint64_t n = 1; n <= 20; ++n) {
    ask(n, loan_purpose::claim);
    advance(1s);
  }
  CAF_CHECK_EQUAL(heard.refusals.size(), 20u);
  CAF_CHECK(heard.refusals.back().why.code() == errc::connect);
  CAF_CHECK_EQUAL(log.count(log_level::error), 1u);
}

CAF_TEST(B67 a settlement waits for the outage to end) {
  start({.size = 2});
  table->fail_opens(8, refused);
  ask(1, loan_purpose::settle);
  advance(5s);
  CAF_CHECK(heard.refusals.empty());
  CAF_CHECK(heard.loans.empty());
  advance(1min);
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{1}));
  CAF_CHECK_EQUAL(log.count("no session"), 1u);
  CAF_CHECK_EQUAL(log.count("reached again"), 1u);
}

CAF_TEST(B65 the wait before another opening grows to its cap and no further) {
  start({.size = 8, .first_backoff = 100ms, .backoff_cap = 10s});
  table->fail_opens(1'000'000, refused);
  ask(1, loan_purpose::settle);
  advance(1s);
  CAF_CHECK(table->opened() >= 2 && table->opened() <= 5);
  advance(1min);
  const auto before = table->opened();
  advance(10min);
  const auto tried = table->opened() - before;
  CAF_MESSAGE("openings in ten minutes: " << tried);
  CAF_CHECK(tried >= 55 && tried <= 90);
}

CAF_TEST(B65 the first claim after the backoff is served) {
  start({.size = 4});
  table->fail_opens(2, refused);
  ask(1, loan_purpose::claim);
  CAF_CHECK_EQUAL(heard.refusals.size(), 1u);
  advance(1s);
  ask(2, loan_purpose::claim);
  CAF_CHECK_EQUAL(heard.refusals.size(), 1u);
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{2}));
}

CAF_TEST(a session that broke while it was lent is closed and replaced) {
  start({.size = 2});
  ask(1, loan_purpose::settle);
  CAF_REQUIRE_EQUAL(heard.loans.size(), 1u);
  const auto live = table->connections();
  break_loan(0);
  CAF_CHECK_EQUAL(table->connections(), live - 1);
  CAF_CHECK_EQUAL(counters->lost.load(), 1u);
  ask(2, loan_purpose::settle);
  advance(1s);
  CAF_REQUIRE_EQUAL(heard.loans.size(), 2u);
  CAF_CHECK(heard.loans[1].on != heard.loans[0].on);
  CAF_CHECK(heard.loans[1].loan != heard.loans[0].loan);
}

CAF_TEST(a request that is withdrawn is answered and never lent) {
  start({.size = 2});
  ask(1, loan_purpose::claim);
  ask(2, loan_purpose::claim);
  send(pool, withdraw{2, asks});
  CAF_REQUIRE_EQUAL(heard.refusals.size(), 1u);
  CAF_CHECK_EQUAL(heard.refusals[0].ticket, 2u);
  send(pool, give_back{heard.loans[0].loan, true});
  CAF_CHECK_EQUAL(heard.loans.size(), 1u);
}

CAF_TEST(a loan given back twice frees its session once) {
  start({.size = 2});
  ask(1, loan_purpose::settle);
  send(pool, give_back{heard.loans[0].loan, true});
  ask(2, loan_purpose::settle);
  send(pool, give_back{heard.loans[0].loan, false});
  CAF_CHECK_EQUAL(counters->lost.load(), 0u);
  CAF_CHECK_EQUAL(table->connections(), counters->open.load());
}

CAF_TEST(a job runs once on a session that goes back by itself) {
  start({.size = 2});
  int ran = 0;
  for (int n = 0; n < 3; ++n)
    send(pool,
         do_job{[&](connection* on, const failure*) { ran += on ? 1 : 0; }});
  CAF_CHECK_EQUAL(ran, 3);
  CAF_CHECK(table->opened() <= 2);
}

CAF_TEST(closing refuses who waits and leaves neither session nor actor) {
  start({.size = 2});
  ask(1, loan_purpose::settle);
  ask(2, loan_purpose::settle);
  ask(3, loan_purpose::claim);
  std::optional<errc> job_heard;
  send(pool, do_job{[&](connection* on, const failure* why) {
         if (!on)
           job_heard = why->code();
       }});
  send(pool, close_pool{});
  CAF_REQUIRE_EQUAL(heard.refusals.size(), 1u);
  CAF_CHECK(heard.refusals[0].why.code() == errc::closed);
  CAF_CHECK(job_heard == errc::closed);
  CAF_CHECK_EQUAL(alive(), 1u); // the borrower
  CAF_CHECK_EQUAL(table->connections(), 0u);
  CAF_CHECK_EQUAL(counters->open.load(), 0u);
}

CAF_TEST(where one session writes reads do not take it) {
  start({.size = 3, .one_writer = true});
  ask(1, loan_purpose::other);
  ask(2, loan_purpose::other);
  ask(3, loan_purpose::other);
  CAF_CHECK_EQUAL(heard.loans.size(), 2u);
  ask(4, loan_purpose::claim);
  CAF_CHECK_EQUAL(lent_tickets(), (std::vector<std::uint64_t>{1, 2, 4}));
}

CAF_TEST_FIXTURE_SCOPE_END()
