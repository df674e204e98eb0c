#define CAF_SUITE settler
#include "inbox/test/fakes.hpp"

#include "inbox/actors/settler.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct claim_log {
  std::vector<claimed> counts;
  std::vector<claim_failed> failures;
};

struct fixture : test::actor_fixture {
  fixture()
    : of{test::scripted_queue(form::lease)},
      table{std::make_shared<test::scripted_table>(of, wall())},
      pool{*this},
      on{*this, table} {
    work = keep(sys.spawn(
      [](supervisor::pointer,
         std::vector<settled_rows>* to) -> supervisor::behavior_type {
        return {[](const begin&) {},
                [](const arrived&) {},
                [](calls_ended) {},
                [to](const settled_rows& s) { to->push_back(s); },
                [](const leases_lost&) {},
                [](supervise) {},
                [](drain_work) {}};
      },
      &written));
    claims = keep(sys.spawn(
      [](claimer::pointer, claim_log* to) -> claimer::behavior_type {
        return {[](credit) {},
                [](wake) {},
                [](poll) {},
                [](drain) {},
                [to](const claimed& c) { to->counts.push_back(c); },
                [to](const claim_failed& c) { to->failures.push_back(c); },
                [](const other_claim&) {}};
      },
      &claim_ends));
    settles = keep(
      spawn_settler(sys, {of, wall(), log.sink()}, pool.actor, work));
  }

  /// A row claimed before the test and the settlement that ends it.
  settlement held_row(std::int64_t id, event what = event::ack) {
    const token held{lease_end(wall()(), of->of().settings.lease), 2};
    table->insert({.id = id, .attempt = 2, .locked_until = held.locked_until});
    return {.what = what,
            .delivery = static_cast<delivery_number>(id),
            .id = id,
            .held = held};
  }

  void settle(std::vector<settlement> ends) {
    send(settles, settle_now{std::move(ends)});
  }

  /// Lends a session to whoever waits longest.
  void lend() { on.lend(pool.take(), ++loans); }

  /// Goes on until nothing is left to do, moving the clock in between.
  void serve(duration for_long) {
    for (duration gone{}; gone < for_long; gone += 50ms) {
      while (!pool.borrows.empty())
        lend();
      while (!on.waiting.empty())
        on.finish();
      advance(50ms);
    }
  }

  settled::how how(std::size_t batch, std::size_t row = 0) {
    CAF_REQUIRE(batch < written.size());
    CAF_REQUIRE(row < written[batch].results.size());
    return written[batch].results[row].went;
  }

  shared_statements of;
  std::shared_ptr<test::scripted_table> table;
  test::fake_pool pool;
  test::fake_session on;
  supervisor work;
  claimer claims;
  settler settles;
  std::vector<settled_rows> written;
  claim_log claim_ends;
  loan_number loans = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(settler_tests, fixture)

CAF_TEST(a lone settlement leaves at once) {
  settle({held_row(1)});
  CAF_REQUIRE_EQUAL(pool.borrows.size(), 1u);
  CAF_CHECK(pool.borrows[0].purpose == loan_purpose::settle);
  lend();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  on.finish();
  CAF_CHECK(how(0) == settled::how::done);
  CAF_CHECK_EQUAL(table->size(), 0u);
  CAF_REQUIRE_EQUAL(pool.returned.size(), 1u);
  CAF_CHECK(pool.returned[0].usable);
}

CAF_TEST(settlements gather while trips are in flight) {
  settle({held_row(1)});
  lend();
  settle({held_row(2)});
  lend();
  for (std::int64_t id = 3; id <= 50; ++id)
    settle({held_row(id)});
  CAF_CHECK(pool.borrows.empty());
  on.finish();
  // On the session in hand.
  CAF_CHECK(pool.borrows.empty());
  CAF_CHECK_EQUAL(on.waiting.back().request.settlements.size(), 48u);
  on.finish();
  on.finish();
  CAF_CHECK_EQUAL(table->size(), 0u);
  CAF_CHECK_EQUAL(table->trips().size(), 3u);
}

CAF_TEST(a claim joins the settlements that leave with it) {
  table->insert_ids(100, 110);
  settle({held_row(1)});
  send(settles, want{{7, 5}, claims});
  CAF_REQUIRE_EQUAL(pool.borrows.size(), 1u);
  lend();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  CAF_CHECK(on.waiting[0].request.claim == (claim_order{7, 5}));
  CAF_CHECK_EQUAL(on.waiting[0].request.settlements.size(), 1u);
  on.finish();
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 1u);
  CAF_CHECK_EQUAL(claim_ends.counts[0].rows, 5u);
}

CAF_TEST(a claim goes alone when nothing waits to be settled) {
  send(settles, want{{1, 5}, claims});
  CAF_REQUIRE_EQUAL(pool.borrows.size(), 1u);
  CAF_CHECK(pool.borrows[0].purpose == loan_purpose::claim);
  lend();
  on.finish();
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 1u);
  CAF_CHECK_EQUAL(claim_ends.counts[0].rows, 0u);
}

CAF_TEST(behind a trip of the one writer waits only one that does both) {
  settles = keep(spawn_settler(sys,
                               {.statements = of,
                                .clock = wall(),
                                .log = log.sink(),
                                .sessions = 1,
                                .trips_on_session = 2},
                               pool.actor, work));
  settle({held_row(1)});
  lend();
  send(settles, want{{1, 5}, claims});
  CAF_CHECK_EQUAL(on.waiting.size(), 1u);
  settle({held_row(2)});
  CAF_REQUIRE_EQUAL(on.waiting.size(), 2u);
  CAF_CHECK(on.waiting[1].request.claim.has_value());
  CAF_CHECK_EQUAL(on.waiting[1].request.settlements.size(), 1u);
  settle({held_row(3)});
  CAF_CHECK_EQUAL(on.waiting.size(), 2u);
  on.finish();
  on.finish();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  on.finish();
  CAF_CHECK_EQUAL(table->size(), 0u);
}

CAF_TEST(settlements and a claim that come together leave together) {
  caf::anon_send(settles, settle_now{{held_row(1)}});
  caf::anon_send(settles, want{{1, 5}, claims});
  run();
  lend();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  CAF_CHECK(on.waiting[0].request.claim.has_value());
}

CAF_TEST(an unknown outcome that was written is read back and not sent again) {
  settle({held_row(1)});
  lend();
  table->lose_next_commit(true);
  on.finish();
  CAF_CHECK(!pool.returned.back().usable);
  CAF_CHECK(written.empty());
  test::fake_session fresh{*this, table};
  advance(2s);
  fresh.lend(pool.take(), ++loans);
  CAF_REQUIRE_EQUAL(fresh.waiting.size(), 1u);
  CAF_CHECK(fresh.waiting[0].request.settlements.empty());
  CAF_CHECK_EQUAL(fresh.waiting[0].request.read_backs.size(), 1u);
  fresh.finish();
  CAF_CHECK(how(0) == settled::how::done);
  CAF_CHECK_EQUAL(table->audit().size(), 1u);
}

CAF_TEST(an unknown outcome that was not written is written after the look) {
  settle({held_row(1)});
  lend();
  table->lose_next_commit(false);
  on.finish();
  test::fake_session fresh{*this, table};
  advance(2s);
  fresh.lend(pool.take(), ++loans);
  fresh.finish();
  CAF_CHECK(written.empty());
  fresh.lend(pool.take(), ++loans);
  CAF_CHECK_EQUAL(fresh.waiting[0].request.settlements.size(), 1u);
  fresh.finish();
  CAF_CHECK(how(0) == settled::how::done);
  CAF_CHECK_EQUAL(table->audit().size(), 1u);
}

CAF_TEST(B33 a passing failure is tried again until the lease ends) {
  table->fail_trips(failure{errc::busy, "the database is locked"});
  settle({held_row(1)});
  serve(of->of().settings.lease + 5s);
  CAF_CHECK(how(0) == settled::how::failed);
  const auto tries = table->trips().size();
  CAF_MESSAGE("tries within one lease: " << tries);
  CAF_CHECK(tries >= 10 && tries <= 40);
  serve(1min);
  CAF_CHECK_EQUAL(table->trips().size(), tries);
}

CAF_TEST(B33 a passing failure that passes loses nothing) {
  table->fail_trips(failure{errc::busy, "the database is locked"});
  settle({held_row(1), held_row(2)});
  serve(3s);
  CAF_CHECK(written.empty());
  table->fail_trips(std::nullopt);
  serve(5s);
  CAF_CHECK_EQUAL(table->audit().size(), 2u);
  CAF_CHECK(how(0) == settled::how::done);
}

CAF_TEST(a definite failure is reported at once and only for its row) {
  table->refuse_id(2, failure{errc::constraint, "a row refers to it"});
  settle({held_row(1), held_row(2), held_row(3)});
  lend();
  on.finish();
  CAF_CHECK(how(0, 0) == settled::how::done);
  CAF_CHECK(how(0, 1) == settled::how::failed);
  CAF_CHECK(how(0, 2) == settled::how::done);
  CAF_CHECK(pool.borrows.empty());
}

CAF_TEST(a holder that came late is told that it lost) {
  const auto end = held_row(1);
  table->take_over(1);
  settle({end});
  lend();
  on.finish();
  CAF_CHECK(how(0) == settled::how::lost);
  CAF_CHECK(table->audit().empty());
}

CAF_TEST(a refused session fails the claims and not the settlements) {
  send(settles, want{{1, 5}, claims});
  const auto asked = pool.take();
  send(settles, not_lent{asked.ticket, {errc::connect, "no database"}});
  CAF_REQUIRE_EQUAL(claim_ends.failures.size(), 1u);
  CAF_CHECK(written.empty());
  settle({held_row(1)});
  CAF_CHECK_EQUAL(pool.borrows.size(), 1u);
}

CAF_TEST(a closed pool gives the settlements back as failed) {
  settle({held_row(1)});
  send(settles, not_lent{pool.take().ticket, {errc::closed, "stopped"}});
  CAF_CHECK(how(0) == settled::how::failed);
}

CAF_TEST(a drain answers the claims that have not left) {
  send(settles, want{{1, 5}, claims});
  send(settles, want{{2, 5}, claims});
  send(settles, drain{});
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 2u);
  CAF_CHECK_EQUAL(claim_ends.counts[1].rows, 0u);
  CAF_REQUIRE_EQUAL(pool.withdrawn.size(), 1u);
  CAF_CHECK_EQUAL(pool.withdrawn[0].ticket, pool.borrows[0].ticket);
  // The loan that was under way is given back unused.
  lend();
  CAF_CHECK(on.waiting.empty());
  CAF_CHECK_EQUAL(pool.returned.size(), 1u);
}

CAF_TEST(a claim that asks on another session is still counted by its order) {
  send(settles, want{{1, 5}, claims});
  lend();
  table->lose_next_commit(true);
  on.finish();
  CAF_REQUIRE_EQUAL(claim_ends.failures.size(), 1u);
  CAF_CHECK(claim_ends.failures[0].order == (claim_order{1, 5}));
}

CAF_TEST_FIXTURE_SCOPE_END()
