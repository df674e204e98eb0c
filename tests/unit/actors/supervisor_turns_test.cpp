#define CAF_SUITE supervisor_turns
#include "inbox/test/fakes.hpp"

#include "inbox/actors/turns.hpp"
#include "supervisor_fixture.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct fixture : test::supervisor_fixture {
  void start_locks(std::uint32_t workers = 1) {
    start(form::row_lock, [=](auto& s) { s.workers = workers; });
  }

  claimed_rows rows_of(std::int64_t first, std::int64_t last) {
    std::vector<std::string> names;
    for (const auto& c : of->description().columns())
      names.push_back(c.name);
    row_set::builder built{names};
    for (auto id = first; id <= last; ++id)
      for (const auto& v :
           {value{id}, value{"emails"}, value{}, value{1}, value{"x"}})
        built.add(v);
    return {1, 1, std::move(built).finish(), {}, {}};
  }

  /// The oldest call ends, and its worker has taken a turn.
  turn turn_of(settled::how went = settled::how::done) {
    CAF_REQUIRE(!calls().empty());
    const auto row = calls().front().row;
    calls().erase(calls().begin());
    turn t;
    t.with = {1, 1};
    t.ends = {{.what = event::ack,
               .delivery = row->number(),
               .id = value::copy_of(row->id()),
               .held = {}}};
    t.results = {{row->number(), went, {}, {}}};
    t.claimed = rows_of(1, 0);
    t.since = steady();
    return t;
  }

  /// The turn's worker runs this row already.
  void runs_on(turn& t, std::int64_t id) {
    t.claimed = rows_of(id, id);
    t.is_full = true;
    t.next = share({test::unbox(
      delivery::from_row(of, *t.claimed, 0, 100 + t.ends[0].delivery))});
    calls().push_back({t.next[0], stop_reason::none, steady()});
  }

  void report(turn t) {
    call_end end{t.ends[0].delivery, ack()};
    if (t.next.empty())
      ++workers->free;
    end.turned = std::make_shared<turn>(std::move(t));
    calls_out->put(std::move(end));
    send(work, calls_ended{});
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(supervisor_turns_tests, fixture)

CAF_TEST(a permit goes to the workers with its rows) {
  start_locks();
  arrive_fresh(1, 1);
  CAF_REQUIRE_EQUAL(workers->lent.size(), 1u);
  CAF_CHECK_EQUAL(workers->lent.begin()->first, calls()[0].row->number());
}

CAF_TEST(a row claimed on a permit is in work and counted) {
  start_locks();
  arrive_fresh(1, 1);
  const auto given = credit_given();
  auto t = turn_of();
  runs_on(t, 2);
  report(std::move(t));
  CAF_CHECK_EQUAL(counters->acked.load(), 1u);
  CAF_CHECK_EQUAL(counters->claims.load(), 1u);
  CAF_CHECK_EQUAL(counters->claimed.load(), 1u);
  CAF_CHECK_EQUAL(counters->in_work.load(), 1u);
  CAF_CHECK_EQUAL(counters->held.load(), 1u);
  CAF_CHECK_EQUAL(credit_given(), given);
  CAF_CHECK(ends.empty());
  CAF_CHECK_EQUAL(holds.size(), 1u);
  CAF_CHECK(others.empty());
}

CAF_TEST(a row claimed on a permit that ends otherwise is held first) {
  start_locks();
  arrive_fresh(1, 1);
  auto t = turn_of();
  runs_on(t, 2);
  report(std::move(t));
  answer(retry());
  CAF_REQUIRE_EQUAL(holds.size(), 2u);
  CAF_CHECK_EQUAL(holds[1].claim, 1u);
  CAF_REQUIRE_EQUAL(holds[1].rows.size(), 1u);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK_EQUAL(holds[1].rows[0].delivery, ends[0].delivery);
  CAF_CHECK(write().what == event::retry);
  CAF_CHECK_EQUAL(counters->held.load(), 0u);
}

CAF_TEST(C-230 a turn that finds no row ends its session and is told) {
  start_locks();
  arrive_fresh(1, 1);
  const auto given = credit_given();
  report(turn_of());
  CAF_REQUIRE_EQUAL(holds.size(), 2u);
  CAF_CHECK(holds[1].rows.empty());
  CAF_REQUIRE_EQUAL(others.size(), 1u);
  CAF_CHECK(!others[0].is_full);
  CAF_CHECK_EQUAL(counters->empty_claims.load(), 1u);
  CAF_CHECK_EQUAL(credit_given(), given + 1);
}

CAF_TEST(a full turn is told to a claimer that has credit) {
  start_locks(2);
  arrive_fresh(1, 1);
  auto t = turn_of();
  runs_on(t, 2);
  report(std::move(t));
  CAF_REQUIRE_EQUAL(others.size(), 1u);
  CAF_CHECK(others[0].is_full);
}

CAF_TEST(rows that a worker did not take are ours) {
  start_locks();
  arrive_fresh(1, 1);
  auto t = turn_of();
  t.claimed = rows_of(2, 2);
  report(std::move(t));
  CAF_REQUIRE_EQUAL(calls().size(), 1u);
  CAF_CHECK_EQUAL(id_of(0), 2);
  CAF_CHECK_EQUAL(holds.size(), 2u);
  CAF_CHECK_EQUAL(workers->lent.size(), 2u);
}

CAF_TEST(C-115 a turn whose claim failed is told and ends the permits) {
  start_locks();
  arrive_fresh(1, 1);
  auto t = turn_of();
  t.claimed = refuse(errc::connection_lost, "cut");
  report(std::move(t));
  CAF_REQUIRE_EQUAL(others.size(), 1u);
  CAF_CHECK(others[0].why.has_value());
  CAF_CHECK(holds.back().rows.empty());
  CAF_CHECK(workers->revoked > 0);
}

CAF_TEST(C-132 no permit is lent while a row whose settlement failed waits) {
  start_locks(2);
  arrive_fresh(1, 1);
  report(turn_of(settled::how::failed));
  CAF_CHECK(workers->revoked > 0);
  arrive_fresh(2, 2);
  CAF_CHECK(workers->lent.empty());
  CAF_CHECK_EQUAL(calls().size(), 1u);
}

CAF_TEST(C-294 a drain takes the permits back before anything else) {
  start_locks();
  arrive_fresh(1, 1);
  auto t = turn_of();
  t.claimed = rows_of(2, 2);
  send(work, drain_work{});
  CAF_CHECK(workers->lent.empty());
  CAF_CHECK(workers->revoked > 0);
  // The turn was under way: its row goes back, and only then is it over.
  report(std::move(t));
  CAF_CHECK(calls().empty());
  CAF_CHECK(ended.empty());
  CAF_CHECK(write().what == event::unclaim);
  CAF_CHECK_EQUAL(ended.size(), 1u);
}

CAF_TEST_FIXTURE_SCOPE_END()
