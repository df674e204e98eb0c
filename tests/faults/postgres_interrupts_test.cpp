#define CAF_SUITE postgres_interrupts
#include "proxy_fixture.hpp"

#include <thread>

#include <pqxx/pqxx>

#include "loan.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;
using steady = std::chrono::steady_clock;

namespace {

struct interrupts : test::proxy_fixture {
  /// Interrupts a session as soon as the server runs that for it.
  void interrupt_in(postgres::connection& c, const std::string& text) {
    const auto watch = connect();
    while (unbox(watch->execute("SELECT count(*) FROM pg_stat_activity WHERE "
                                "query = '"
                                  + text + "'",
                                {}))
             .rows->at(0, 0)
             .as_integer()
           == 0)
      std::this_thread::yield();
    c.interrupt();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_interrupts_tests, interrupts)

CAF_TEST(a call under way ends when another thread interrupts it) {
  if (is_skipped())
    return;
  auto c = connect();
  const auto begun = steady::now();
  std::thread breaker{[&] { interrupt_in(*c, "SELECT pg_sleep(62)"); }};
  const auto why = refusal(c->execute("SELECT pg_sleep(62)", {}));
  breaker.join();
  CAF_CHECK_EQUAL(why.code(), errc::connection_lost);
  CAF_CHECK(c->is_lost());
  CAF_CHECK(steady::now() - begun < 20s);
  CAF_CHECK(comes_to_rest("pg_sleep(62)"));
}

CAF_TEST(a connect under way ends when another thread interrupts it) {
  if (is_skipped())
    return;
  between->stall_connections(true);
  auto c = closed({.connect_timeout = 60s});
  std::thread breaker{[&] { c->interrupt(); }};
  const auto why = refusal(c->open());
  breaker.join();
  CAF_CHECK(why.is_session_lost());
}

CAF_TEST(an interrupt is safe at any moment) {
  if (is_skipped())
    return;
  for (int round = 0; round < 50; ++round) {
    auto c = closed({});
    std::thread breaker{[&] { c->interrupt(); }};
    if (c->open())
      c->execute("SELECT 1", {});
    breaker.join();
    CAF_CHECK(c->is_lost());
  }
}

CAF_TEST(a statement of a lent transaction ends when the session is interrupted) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    lent.tx.exec("SELECT 1");
    std::thread breaker{[&] { interrupt_in(*c, "SELECT pg_sleep(63)"); }};
    CAF_CHECK(test::throws<pqxx::failure>(
      [&] { lent.tx.exec("SELECT pg_sleep(63)"); }));
    breaker.join();
  }
  CAF_CHECK(comes_to_rest("pg_sleep(63)"));
}

CAF_TEST_FIXTURE_SCOPE_END()
