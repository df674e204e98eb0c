#define CAF_SUITE conclusion
#include "inbox/test/deliveries.hpp"

#include "inbox/conclusion.hpp"

using namespace inbox;
using role = column_role;
using kind = failure_policy::kind;

namespace {

/// A queue whose two policies differ, with a cap of three; a lease or none.
shared_statements queue(bool leased,
                        failure_policy on_failure = {kind::skip, {}, {}},
                        failure_policy on_decode = {kind::drop, {}, {}}) {
  std::vector<std::pair<role, column_type>> columns{
    {role::id, column_type::integer},
    {role::retry_after, column_type::time},
    {role::attempt, column_type::integer}};
  if (leased)
    columns.emplace_back(role::locked_until, column_type::time);
  return test::jobs(columns, [&](subscription_settings& s) {
    s.max_attempts = 3;
    s.dead_letter = "dead";
    s.on_failure = on_failure;
    s.on_decode_failure = on_decode;
  });
}

delivery leased(const shared_statements& of, value attempt = 1) {
  return test::deliver(of, {42, value{}, std::move(attempt), value{}},
                       time_point{30s});
}

handled failing(errc why) {
  return refuse(why, "no");
}

} // namespace

CAF_TEST(an answer ends the delivery as it says) {
  const auto c = conclude(leased(queue(true)), retry_after(5s), 0.5);
  CAF_CHECK(c.decision.end.what == event::retry_after);
  CAF_CHECK(c.decision.end.delay == duration{5s});
  CAF_CHECK(!c.fault);
  CAF_CHECK(!c.stops);
}

CAF_TEST(C-148 what does not read has a policy of its own) {
  const auto d = leased(queue(true));
  for (const auto why :
       {errc::undecodable, errc::wrong_type, errc::null_in_role}) {
    const auto c = conclude(d, failing(why), 0.5);
    CAF_CHECK(c.decision.end.what == event::discard);
    CAF_CHECK(c.fault.value().code() == why);
  }
  for (const auto why : {errc::handler_failed, errc::timed_out}) {
    const auto c = conclude(d, failing(why), 0.5);
    CAF_CHECK(c.decision.end.what == event::ack);
    CAF_CHECK(c.fault.value().code() == why);
  }
}

CAF_TEST(a failing delivery waits longer by its attempt and the random number) {
  const auto of = queue(true,
                        {kind::retry, {}, backoff{.first = 1s, .jitter = 0.5}});
  const auto delay_of = [&](value attempt, double random) {
    const auto c = conclude(leased(of, std::move(attempt)),
                            failing(errc::handler_failed), random);
    CAF_CHECK(c.decision.end.what == event::retry_after);
    return c.decision.end.delay;
  };
  CAF_CHECK(delay_of(1, 0.5) == duration{1s});
  CAF_CHECK(delay_of(2, 0.5) == duration{2s});
  CAF_CHECK(delay_of(2, 0) == duration{1s});
}

CAF_TEST(C-126 the cap ends a failing delivery whatever its policy waits) {
  const auto of = queue(true, {kind::retry, {}, {}});
  const auto c = conclude(leased(of, 3), failing(errc::handler_failed), 0.5);
  CAF_CHECK(c.decision.end.what == event::dead_letter);
  CAF_CHECK(c.decision.note == settle_note::capped);
}

CAF_TEST(a policy that stops gives the row back and keeps its reason) {
  for (const bool leases : {true, false}) {
    const auto of = queue(leases, fail_fast);
    const auto d = leases ? leased(of)
                          : test::deliver(of, {42, value{}, value{1}});
    const auto c = conclude(d, failing(errc::handler_failed), 0.5);
    CAF_CHECK(c.stops);
    CAF_CHECK(c.fault.value().code() == errc::handler_failed);
    CAF_CHECK(c.decision.end == release(d));
  }
}

CAF_TEST(a released row keeps the count that its form has taken) {
  const auto of = queue(true);
  const auto held = release(leased(of, 2));
  CAF_CHECK(held.what == event::retry);
  CAF_CHECK((held.held == token{time_point{30s}, 3}));
  CAF_CHECK(held.delay == duration::zero());
  // Its transaction ends, and nothing was counted.
  const auto locked = release(
    test::deliver(queue(false), {42, value{}, value{2}}));
  CAF_CHECK(locked.what == event::unclaim);
}

CAF_TEST(a row that reads and is within its cap is run) {
  CAF_CHECK(!conclude_unrun(leased(queue(true), 3), 0.5));
}

CAF_TEST(B74 a row past its cap is moved unrun and no policy is asked) {
  const auto c = conclude_unrun(leased(queue(true, fail_fast), 4), 0.5);
  CAF_REQUIRE(c.has_value());
  CAF_CHECK(c->decision.end.what == event::dead_letter);
  CAF_CHECK(c->decision.note == settle_note::capped);
  CAF_CHECK(!c->fault && !c->stops);
}

CAF_TEST(a row that does not read ends unrun by the policy for that) {
  const auto c = conclude_unrun(leased(queue(true), "three"), 0.5);
  CAF_REQUIRE(c.has_value());
  CAF_CHECK(c->decision.end.what == event::discard);
  CAF_CHECK(c->fault.value().code() == errc::wrong_type);
}
