#define CAF_SUITE settle
#include "inbox/test/deliveries.hpp"

#include "inbox/settle.hpp"

using namespace inbox;
using role = column_role;

namespace {

void cap_of_three(subscription_settings& s) {
  s.max_attempts = 3;
  s.dead_letter = "dead";
}

/// A lease table with a retry_after column and a cap of three.
shared_statements full() {
  return test::jobs({{role::id, column_type::integer},
                     {role::group, column_type::text},
                     {role::retry_after, column_type::time},
                     {role::attempt, column_type::integer},
                     {role::locked_until, column_type::time}},
                    cap_of_three);
}

delivery at_attempt(int attempt) {
  return test::deliver(full(), {42, "emails", value{}, attempt, value{}},
                       time_point{30s}, 9);
}

event end_of(const delivery& d, outcome o) {
  return settle(d, o).end.what;
}

} // namespace

CAF_TEST(a settlement names its delivery and row and what it holds) {
  const auto decided = settle(at_attempt(1), ack());
  CAF_CHECK(decided.end
            == (settlement{event::ack, 9, 42, token{time_point{30s}, 2}, {}}));
  CAF_CHECK(decided.note == settle_note::none);
}

CAF_TEST(C-120 ack and drop finish the row at any attempt) {
  for (const int attempt : {1, 2, 3, 4}) {
    CAF_CHECK(end_of(at_attempt(attempt), ack()) == event::ack);
    CAF_CHECK(end_of(at_attempt(attempt), drop()) == event::discard);
  }
}

CAF_TEST(C-126 the third failing delivery moves the row under a cap of three) {
  for (const auto o : {retry(), retry_after(5s)}) {
    CAF_CHECK(end_of(at_attempt(2), o) != event::dead_letter);
    CAF_CHECK(end_of(at_attempt(3), o) == event::dead_letter);
    CAF_CHECK(end_of(at_attempt(4), o) == event::dead_letter);
    CAF_CHECK(settle(at_attempt(3), o).note == settle_note::capped);
  }
}

CAF_TEST(C-121 and C-122 a retry comes back at once or after its delay) {
  CAF_CHECK(end_of(at_attempt(1), retry()) == event::retry);
  const auto later = settle(at_attempt(1), retry_after(300ms));
  CAF_CHECK(later.end.what == event::retry_after);
  CAF_CHECK(later.end.delay == duration{300ms});
}

CAF_TEST(a delay is clamped and never negative) {
  const auto delay_of = [](duration d) {
    return settle(at_attempt(1), retry_after(d)).end.delay;
  };
  CAF_CHECK(delay_of(duration{-5}) == duration::zero());
  CAF_CHECK(delay_of(duration::max()) == max_delay);
}

CAF_TEST(C-123 retry_after without the column returns at once with a note) {
  const auto of = test::jobs({{role::id, column_type::integer}});
  const auto decided = settle(test::deliver(of, {1}), retry_after(60s));
  CAF_CHECK(decided.end.what == event::retry);
  CAF_CHECK(decided.end.delay == duration::zero());
  CAF_CHECK(!decided.end.held);
  CAF_CHECK(decided.note == settle_note::no_retry_after);
}

CAF_TEST(B74 only a row beyond its cap ends without a run) {
  CAF_CHECK(!over_cap(at_attempt(1)));
  CAF_CHECK(!over_cap(at_attempt(3)));
  const auto over = over_cap(at_attempt(4));
  CAF_REQUIRE(over.has_value());
  CAF_CHECK(over->end.what == event::dead_letter);
  CAF_CHECK(over->note == settle_note::capped);
}

CAF_TEST(without a cap or a readable attempt nothing is moved) {
  const auto uncapped = test::jobs(
    {{role::id, column_type::integer}, {role::attempt, column_type::integer}});
  const auto late = test::deliver(uncapped, {1, 1000});
  CAF_CHECK(!over_cap(late));
  CAF_CHECK(end_of(late, retry()) == event::retry);
  const auto unread = test::deliver(
    full(), {42, "emails", value{}, "three", value{}}, time_point{30s});
  CAF_CHECK(end_of(unread, retry()) == event::retry);
}

CAF_TEST(a row that was never started is given back) {
  CAF_CHECK(give_back(at_attempt(1)).what == event::unclaim);
}
