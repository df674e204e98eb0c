#define CAF_SUITE sqlite_trip
#include "inbox/test/unit.hpp"

#include "file_fixture.hpp"

using namespace inbox;
using namespace inbox::test;

CAF_TEST_FIXTURE_SCOPE(trips, file_fixture)

CAF_TEST(a claim takes due rows in order and reports them as they were) {
  auto on = open();
  const auto with = statements();
  add(*on, 1, value{"2026-01-01 00:00:02"});
  add(*on, 2, value{"2026-01-01 00:00:01"});
  add(*on, 3, value{"2026-01-03"});
  add(*on, 4, value{});
  const auto claimed = claim(*on, with);
  CAF_CHECK_EQUAL(ids(claimed), (list{4, 2, 1}));
  CAF_CHECK_EQUAL(claimed.asked, 10u);
  CAF_CHECK(claimed.claimed_at == now);
  CAF_CHECK(claimed.locked_until == now + 30s);
  const row second{claimed.rows, 1};
  CAF_CHECK_EQUAL(second.name(5), "body");
  CAF_CHECK_EQUAL(second.at(2).to_display(), "2026-01-01T00:00:01.000000Z");
  CAF_CHECK(second.at(3).as_integer() == 1);
  CAF_CHECK(second.at(4).is_null());
  CAF_CHECK(second.at(5).as_octets() == "2");
  CAF_CHECK_EQUAL(answer(*on, "SELECT locked_until FROM jobs WHERE id = 2"),
                  "2026-01-02 03:04:35.000000");
  CAF_CHECK_EQUAL(answer(*on, "SELECT attempt FROM jobs WHERE id = 2"), "2");
}

CAF_TEST(a row in work is claimed again only when its lease has ended) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
  now += 30s;
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{1});
}

CAF_TEST(a claim that finds nothing takes no lock) {
  auto on = open();
  auto writer = open();
  const auto with = statements();
  unbox(writer->begin());
  CAF_CHECK_EQUAL(ids(claim(*on, with)), list{});
}

CAF_TEST(one trip settles and extends and reads back and claims) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 5; ++id)
    add(*on, id);
  const auto first = claim(*on, with, 4);
  trip request;
  request.statements = with;
  request.settlements = {end_of(first, 0),
                         end_of(first, 1, event::retry_after, 60s)};
  const auto held = end_of(first, 2);
  request.extensions = {{3, held.id, *held.held}};
  request.read_backs = {end_of(first, 3)};
  request.claim = claim_order{7, 10};
  now += 10s;
  auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::done);
  CAF_CHECK_EQUAL(result.settlements.at(1).delivery, 2u);
  CAF_CHECK(result.settlements.at(1).went == how::done);
  CAF_CHECK(result.extensions.at(0).went == how::done);
  CAF_CHECK((result.extensions.at(0).now_held == token{now + 30s, 2}));
  CAF_CHECK(result.read_backs.at(0).went == how::held);
  const auto second = unbox(*result.claim);
  CAF_CHECK_EQUAL(second.number, 7u);
  CAF_CHECK_EQUAL(ids(second), list{5});
  CAF_CHECK_EQUAL(answer(*on, "SELECT group_concat(id) FROM "
                              "(SELECT id FROM jobs ORDER BY +id)"),
                  "2,3,4,5");
  CAF_CHECK_EQUAL(answer(*on, "SELECT due FROM jobs WHERE id = 2"),
                  "2026-01-02 03:05:15.000000");
}

CAF_TEST(C-154 a late holder changes nothing) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto late = claim(*on, with);
  now += 31s;
  const auto held = claim(*on, with);
  const auto end = end_of(late, 0);
  trip request;
  request.statements = with;
  request.settlements = {end};
  request.extensions = {{1, end.id, *end.held}};
  request.read_backs = {end};
  const auto result = on->run(request, now);
  CAF_CHECK(result.settlements.at(0).went == how::lost);
  CAF_CHECK(result.extensions.at(0).went == how::lost);
  CAF_CHECK(!result.extensions.at(0).now_held);
  CAF_CHECK(result.read_backs.at(0).went == how::done);
  CAF_CHECK(settle(*on, with, {end_of(held, 0)}).settlements.at(0).went
            == how::done);
}

CAF_TEST(a row that was claimed and never started goes back as it was) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto claimed = claim(*on, with);
  settle(*on, with, {end_of(claimed, 0, event::unclaim)});
  CAF_CHECK_EQUAL(
    answer(*on, "SELECT attempt || ifnull(locked_until, '-') FROM jobs"), "1-");
}

CAF_TEST(several rows are read back in one trip) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 3; ++id)
    add(*on, id);
  const auto claimed = claim(*on, with);
  settle(*on, with, {end_of(claimed, 1)});
  trip request;
  request.statements = with;
  for (std::size_t i = 0; i < 3; ++i)
    request.read_backs.push_back(end_of(claimed, i));
  const auto result = on->run(request, now);
  CAF_CHECK(result.read_backs.at(0).went == how::held);
  CAF_CHECK(result.read_backs.at(1).went == how::done);
  CAF_CHECK(result.read_backs.at(2).went == how::held);
}

CAF_TEST(a trip inside a transaction of its session is refused) {
  auto on = open();
  const auto with = statements();
  unbox(on->begin());
  trip request;
  request.statements = with;
  request.claim = claim_order{1, 1};
  CAF_CHECK(refusal(*on->run(request, now).claim).code()
            == errc::would_block_itself);
}

CAF_TEST(a long name of a dead letter is written whole for every row) {
  auto on = open();
  subscription_settings how_served;
  how_served.max_attempts = 1;
  how_served.dead_letter = std::string(1000, 'd');
  const auto with = statements(jobs(), how_served);
  add(*on, 1);
  add(*on, 2);
  const auto claimed = claim(*on, with);
  settle(*on, with,
         {end_of(claimed, 0, event::dead_letter),
          end_of(claimed, 1, event::dead_letter)});
  CAF_CHECK_EQUAL(answer(*on, "SELECT count(*) FROM jobs WHERE name = '"
                                + *how_served.dead_letter + "'"),
                  "2");
}

CAF_TEST(a queue may go by another name than its rows) {
  auto on = open();
  subscription_settings how_served;
  how_served.group = "emails";
  subscription s{"outgoing", unbox(table::make(jobs())), how_served};
  add(*on, 1);
  CAF_CHECK_EQUAL(ids(claim(*on, unbox(sqlite::dialect{}.build(s)))), list{1});
}

CAF_TEST_FIXTURE_SCOPE_END()
