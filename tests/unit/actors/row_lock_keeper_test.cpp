#define CAF_SUITE row_lock_keeper
#include "inbox/test/fakes.hpp"

#include "inbox/actors/row_lock_keeper.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct claim_log {
  std::vector<claimed> counts;
  std::vector<claim_failed> failures;
};

struct fixture : test::actor_fixture {
  fixture()
    : of{test::scripted_queue(form::row_lock)},
      table{std::make_shared<test::scripted_table>(of, wall())},
      pool{*this} {
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
    keeper = keep(spawn_row_lock_keeper(sys, of, pool.actor, work));
  }

  void ask(std::uint64_t claim, std::uint32_t limit = 1) {
    send(keeper, want{{claim, limit}, claims});
  }

  /// The keeper's claim runs on a session; its rows are held as the
  /// supervisor would hold them.
  claimed_rows claim_on(test::fake_session& on, loan_number loan) {
    on.lend(pool.take(), loan);
    auto rows = on.finish();
    CAF_REQUIRE(rows.has_value());
    if (rows->rows->size() > 0)
      hold_rows(*rows);
    return *rows;
  }

  void hold_rows(const claimed_rows& rows) {
    hold h{rows.number, {}, steady()};
    for (std::size_t i = 0; i < rows.rows->size(); ++i) {
      const auto id = *rows.rows->at(i, 0).as_integer();
      h.rows.push_back({static_cast<delivery_number>(id), id, {}});
    }
    send(keeper, std::move(h));
  }

  void finish_row(std::int64_t id, event what = event::ack) {
    send(keeper, finish{{{.what = what,
                          .delivery = static_cast<delivery_number>(id),
                          .id = id,
                          .held = {}}}});
  }

  shared_statements of;
  std::shared_ptr<test::scripted_table> table;
  test::fake_pool pool;
  supervisor work;
  claimer claims;
  row_lock_keeper keeper;
  std::vector<settled_rows> written;
  claim_log claim_ends;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(row_lock_keeper_tests, fixture)

CAF_TEST(each claim has a session of its own that its rows settle on) {
  table->insert_ids(1, 2);
  test::fake_session a{*this, table};
  test::fake_session b{*this, table};
  ask(1);
  ask(2);
  CAF_REQUIRE_EQUAL(pool.borrows.size(), 2u);
  claim_on(a, 10);
  claim_on(b, 11);
  CAF_CHECK(pool.returned.empty());
  finish_row(2);
  CAF_CHECK(a.waiting.empty());
  CAF_REQUIRE_EQUAL(b.waiting.size(), 1u);
  b.finish();
  CAF_REQUIRE_EQUAL(pool.returned.size(), 1u);
  CAF_CHECK_EQUAL(pool.returned[0].loan, 11u);
  finish_row(1);
  a.finish();
  CAF_CHECK_EQUAL(table->size(), 0u);
  CAF_CHECK_EQUAL(written.size(), 2u);
}

CAF_TEST(a claim without rows gives its session back) {
  test::fake_session on{*this, table};
  ask(1);
  claim_on(on, 10);
  CAF_REQUIRE_EQUAL(pool.returned.size(), 1u);
  CAF_CHECK(pool.returned[0].usable);
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 1u);
  CAF_CHECK_EQUAL(claim_ends.counts[0].rows, 0u);
}

CAF_TEST(rows may be held and finished before the claim is known to be over) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  on.before_done = [&](const claimed_rows& rows) {
    hold_rows(rows);
    finish_row(1);
  };
  ask(1);
  on.lend(pool.take(), 10);
  on.finish();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  on.finish();
  CAF_CHECK_EQUAL(table->size(), 0u);
  CAF_REQUIRE_EQUAL(pool.returned.size(), 1u);
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 1u);
  CAF_CHECK_EQUAL(claim_ends.counts[0].rows, 1u);
}

CAF_TEST(C-221 the rows of one claim settle together with the last of them) {
  table->insert_ids(1, 3);
  test::fake_session on{*this, table};
  ask(1, 3);
  claim_on(on, 10);
  finish_row(2);
  finish_row(1, event::retry);
  CAF_CHECK(on.waiting.empty());
  CAF_CHECK(written.empty());
  finish_row(3);
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  CAF_CHECK_EQUAL(on.waiting[0].request.settlements.size(), 3u);
  on.finish();
  CAF_CHECK_EQUAL(table->size(), 1u);
  CAF_CHECK_EQUAL(table->find(1)->attempt, 2);
}

CAF_TEST(a claim whose rows cannot be delivered is rolled back) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  on.before_done = [&](const claimed_rows& rows) {
    send(keeper, hold{rows.number, {}, steady()});
  };
  ask(1);
  on.lend(pool.take(), 10);
  on.finish();
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  CAF_CHECK(on.waiting[0].request.roll_back);
  on.finish();
  CAF_CHECK_EQUAL(pool.returned.size(), 1u);
}

CAF_TEST(rows claimed on a permit settle on the session of the first ones) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  ask(1);
  claim_on(on, 10);
  // A worker settled row 1 and claimed row 2 itself.
  send(keeper, hold{1, {{2, 2, {}}}, steady()});
  finish_row(1);
  CAF_CHECK(on.waiting.empty());
  finish_row(2);
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  CAF_CHECK_EQUAL(on.waiting[0].request.settlements.size(), 1u);
  on.finish();
  CAF_CHECK_EQUAL(pool.returned.size(), 1u);
}

CAF_TEST(a session whose worker found no more rows is given back) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  ask(1);
  claim_on(on, 10);
  send(keeper, hold{1, {}, steady()});
  CAF_REQUIRE_EQUAL(on.waiting.size(), 1u);
  on.finish();
  CAF_CHECK_EQUAL(pool.returned.size(), 1u);
  finish_row(1);
  CAF_CHECK(on.waiting.empty());
}

CAF_TEST(a failed claim is told and its session given back) {
  test::fake_session on{*this, table};
  table->fail_next_trip({errc::connection_lost, "cut"});
  ask(1);
  on.lend(pool.take(), 10);
  on.finish();
  CAF_REQUIRE_EQUAL(claim_ends.failures.size(), 1u);
  CAF_REQUIRE_EQUAL(pool.returned.size(), 1u);
  CAF_CHECK(!pool.returned[0].usable);
}

CAF_TEST(a session lost while it settles fails its rows and is replaced) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  ask(1);
  claim_on(on, 10);
  finish_row(1);
  table->lose_next_commit(false);
  on.finish();
  CAF_REQUIRE_EQUAL(written.size(), 1u);
  CAF_CHECK(written[0].results[0].went == settled::how::unknown);
  CAF_CHECK(!pool.returned.back().usable);
  CAF_CHECK_EQUAL(table->size(), 1u);
}

CAF_TEST(a drain withdraws the claims without a session and answers them) {
  ask(1);
  ask(2);
  send(keeper, drain{});
  CAF_CHECK_EQUAL(pool.withdrawn.size(), 2u);
  // One is answered by the pool, the other had been lent already.
  send(keeper, not_lent{1, {errc::closed, "withdrawn"}});
  test::fake_session on{*this, table};
  on.lend(pool.borrows[1], 10);
  CAF_CHECK(on.waiting.empty());
  CAF_CHECK_EQUAL(pool.returned.size(), 1u);
  CAF_REQUIRE_EQUAL(claim_ends.counts.size(), 2u);
  CAF_CHECK_EQUAL(claim_ends.counts[0].rows + claim_ends.counts[1].rows, 0u);
}

CAF_TEST(C-294 rows in work settle normally after a drain) {
  table->insert_ids(1, 1);
  test::fake_session on{*this, table};
  ask(1);
  claim_on(on, 10);
  send(keeper, drain{});
  finish_row(1);
  on.finish();
  CAF_CHECK_EQUAL(table->audit().size(), 1u);
}

CAF_TEST_FIXTURE_SCOPE_END()
