#define CAF_SUITE leaseholder
#include "inbox/test/fakes.hpp"

#include "inbox/actors/leaseholder.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct fixture : test::actor_fixture {
  fixture()
    : of{test::scripted_queue(form::lease, [](auto& s) { s.lease = 10s; })},
      table{std::make_shared<test::scripted_table>(of, wall())},
      pool{*this},
      on{*this, table} {
    work = keep(sys.spawn(
      [](supervisor::pointer,
         std::vector<delivery_number>* to) -> supervisor::behavior_type {
        return {[](const begin&) {},
                [](const arrived&) {},
                [](calls_ended) {},
                [](const settled_rows&) {},
                [to](const leases_lost& l) {
                  to->insert(to->end(), l.deliveries.begin(),
                             l.deliveries.end());
                },
                [](supervise) {},
                [](drain_work) {}};
      },
      &lost));
    settles = keep(sys.spawn(
      [](settler::pointer,
         std::vector<settlement>* to) -> settler::behavior_type {
        return {[](const want&) {},
                [](drain) {},
                [to](const settle_now& s) {
                  to->insert(to->end(), s.ends.begin(), s.ends.end());
                },
                [](const lent&) {},
                [](const not_lent&) {},
                [](const trip_done&) {},
                [](tick) {},
                [](leave) {}};
      },
      &ended));
    leases = keep(
      spawn_leaseholder(sys, {of, chunk, counters}, pool.actor, settles, work));
  }

  /// Rows claimed now.
  void claim(std::int64_t first, std::int64_t last) {
    hold h{1, {}, steady()};
    const token held{lease_end(wall()(), of->of().settings.lease), 2};
    for (auto id = first; id <= last; ++id) {
      table->insert(
        {.id = id, .attempt = 2, .locked_until = held.locked_until});
      h.rows.push_back({static_cast<delivery_number>(id), id, held});
    }
    send(leases, std::move(h));
  }

  void finish_row(std::int64_t id) {
    send(leases, finish{{{.what = event::ack,
                          .delivery = static_cast<delivery_number>(id),
                          .id = id,
                          .held = {}}}});
  }

  /// Serves the extension that asks; fails when none does.
  std::size_t extend() {
    on.lend(pool.take(), ++loans);
    CAF_REQUIRE(!on.waiting.empty());
    const auto rows = on.waiting[0].request.extensions.size();
    on.finish();
    return rows;
  }

  static constexpr std::size_t chunk = 100;
  shared_statements of;
  std::shared_ptr<test::scripted_table> table;
  test::fake_pool pool;
  test::fake_session on;
  std::shared_ptr<queue_counters> counters = std::make_shared<queue_counters>();
  supervisor work;
  settler settles;
  leaseholder leases;
  std::vector<delivery_number> lost;
  std::vector<settlement> ended;
  loan_number loans = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(leaseholder_tests, fixture)

CAF_TEST(C-153 a delivery in work is extended every half lease) {
  claim(1, 1);
  for (int n = 0; n < 20; ++n) {
    advance(4999ms);
    CAF_CHECK(pool.borrows.empty());
    advance(1ms);
    CAF_REQUIRE_EQUAL(pool.borrows.size(), 1u);
    CAF_CHECK(pool.borrows[0].purpose == loan_purpose::extend);
    CAF_CHECK_EQUAL(extend(), 1u);
    CAF_CHECK(*table->find(1)->locked_until >= wall()() + 10s);
  }
  CAF_CHECK(lost.empty());
}

CAF_TEST(C-153 a round with nothing to extend takes no session) {
  claim(1, 3);
  for (int id = 1; id <= 3; ++id)
    finish_row(id);
  advance(1h);
  CAF_CHECK(pool.borrows.empty());
  CAF_CHECK_EQUAL(ended.size(), 3u);
  CAF_CHECK_EQUAL(timers(), 0u);
}

CAF_TEST(a failed extension is tried again every tenth of the lease) {
  claim(1, 1);
  table->fail_trips(failure{errc::busy, "locked"});
  advance(5s);
  extend();
  for (int n = 0; n < 4; ++n) {
    advance(999ms);
    CAF_CHECK(pool.borrows.empty());
    advance(1ms);
    extend();
  }
  table->fail_trips(std::nullopt);
  advance(900ms);
  CAF_CHECK(lost.empty());
}

CAF_TEST(B19 a delivery whose lease ended is told lost once) {
  claim(1, 1);
  table->fail_trips(failure{errc::busy, "locked"});
  for (int n = 0; n < 40; ++n) {
    advance(250ms);
    while (!pool.borrows.empty())
      extend();
    CAF_CHECK_EQUAL(lost.size(), n < 39 ? 0u : 1u);
  }
  advance(1h);
  CAF_CHECK_EQUAL(lost.size(), 1u);
}

CAF_TEST(B19 a delivery is told lost although no session ever comes) {
  claim(1, 1);
  advance(9999ms);
  CAF_CHECK(lost.empty());
  CAF_CHECK_EQUAL(pool.borrows.size(), 1u);
  advance(11ms);
  CAF_CHECK_EQUAL(lost.size(), 1u);
  CAF_CHECK_EQUAL(pool.borrows.size(), 1u);
}

CAF_TEST(B19 an extension that finds the row taken over tells it at once) {
  claim(1, 2);
  table->take_over(1);
  advance(5s);
  extend();
  CAF_CHECK_EQUAL(lost, (std::vector<delivery_number>{1}));
}

CAF_TEST(a settlement during an extension waits and gets the new token) {
  claim(1, 2);
  advance(5s);
  on.lend(pool.take(), 1);
  finish_row(1);
  CAF_CHECK(ended.empty());
  on.finish();
  CAF_REQUIRE_EQUAL(ended.size(), 1u);
  CAF_CHECK(ended[0].held->locked_until == *table->find(1)->locked_until);
  finish_row(2);
  CAF_REQUIRE_EQUAL(ended.size(), 2u);
  CAF_CHECK(ended[1].held->locked_until == *table->find(2)->locked_until);
}

CAF_TEST(an extension that loses its session leaves the token as it was) {
  claim(1, 1);
  advance(5s);
  on.lend(pool.take(), 1);
  finish_row(1);
  table->fail_next_trip({errc::connection_lost, "cut"});
  on.finish();
  CAF_REQUIRE_EQUAL(ended.size(), 1u);
  CAF_CHECK(ended[0].held->locked_until == *table->find(1)->locked_until);
  CAF_CHECK(!pool.returned.back().usable);
}

CAF_TEST(B18 many deliveries are extended chunk after chunk) {
  claim(1, 250);
  advance(5s);
  CAF_CHECK_EQUAL(extend(), 100u);
  CAF_CHECK_EQUAL(extend(), 100u);
  CAF_CHECK_EQUAL(extend(), 50u);
  advance(4s);
  CAF_CHECK(pool.borrows.empty());
}

CAF_TEST(B17 an extension that is late shows in the counters) {
  claim(1, 1);
  advance(5s + 700ms);
  CAF_CHECK(counters->extension_lateness_us >= 600'000);
  CAF_CHECK(counters->extension_lateness_us <= 700'000);
}

CAF_TEST(a closed pool ends neither timer nor telling) {
  claim(1, 1);
  advance(5s);
  send(leases, not_lent{pool.take().ticket, {errc::closed, "stopped"}});
  advance(5s + 20ms);
  CAF_CHECK_EQUAL(lost.size(), 1u);
}

CAF_TEST(a steady flow of short deliveries keeps a handful of timers) {
  for (std::int64_t id = 1; id <= 2000; ++id) {
    claim(id, id);
    advance(1ms);
    finish_row(id);
  }
  CAF_CHECK(timers() <= 2);
  CAF_CHECK_EQUAL(ended.size(), 2000u);
}

CAF_TEST_FIXTURE_SCOPE_END()
