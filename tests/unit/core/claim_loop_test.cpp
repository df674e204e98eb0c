#define CAF_SUITE claim_loop
#include "inbox/test/unit.hpp"

#include "inbox/claim_loop.hpp"

using namespace inbox;
using step = claim_loop::step;

namespace {

claim_loop loop_of(std::uint32_t most, std::uint32_t allowed) {
  return claim_loop{
    {.poll_interval = 5s, .pause = 1s, .most = most, .allowed = allowed}};
}

} // namespace

CAF_TEST(a claim leaves as soon as there is credit) {
  auto loop = loop_of(100, 1);
  CAF_CHECK(loop.next() == step::none);
  loop.on_credit(3);
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK_EQUAL(loop.order().limit, 3u);
  CAF_CHECK_EQUAL(loop.order().number, 1u);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(C-230 a full claim is followed by another at once) {
  auto loop = loop_of(2, 1);
  loop.on_credit(5);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 2, 2);
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK_EQUAL(loop.order().limit, 2u);
}

CAF_TEST(C-230 a short claim waits for the poll interval) {
  auto loop = loop_of(2, 1);
  loop.on_credit(5);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 2, 1);
  CAF_REQUIRE(loop.next() == step::sleep);
  CAF_CHECK(loop.wait_time() == duration{5s});
  CAF_CHECK(loop.next() == step::none);
  CAF_CHECK_EQUAL(loop.credit(), 4u);
  loop.on_timer();
  CAF_CHECK(loop.next() == step::claim);
}

CAF_TEST(a claim is full by the limit it really had) {
  auto loop = loop_of(100, 1);
  loop.on_credit(50);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 10, 10);
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK_EQUAL(loop.order().limit, 40u);
}

CAF_TEST(C-230 a wake ends the wait with one claim) {
  auto loop = loop_of(1, 4);
  loop.on_credit(4);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 0);
  CAF_REQUIRE(loop.next() == step::sleep);
  loop.on_wake();
  loop.on_wake();
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK(loop.next() == step::none);
  loop.on_claimed(loop.order(), 1, 0);
  CAF_CHECK(loop.next() == step::sleep);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(C-262 a wake during a claim is answered by another claim) {
  auto loop = loop_of(10, 1);
  loop.on_credit(10);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_wake();
  CAF_CHECK(loop.next() == step::none);
  loop.on_claimed(loop.order(), 10, 0);
  auto went = loop.next();
  while (went == step::sleep)
    went = loop.next();
  CAF_CHECK(went == step::claim);
}

CAF_TEST(C-262 a wake without credit is kept) {
  auto loop = loop_of(10, 1);
  loop.on_credit(1);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_wake();
  loop.on_claimed(loop.order(), 1, 1);
  CAF_CHECK(loop.next() == step::none);
  loop.on_credit(1);
  CAF_CHECK(loop.next() == step::claim);
}

CAF_TEST(C-115 a failed claim pauses one second whatever the poll interval) {
  auto loop = loop_of(10, 2);
  loop.on_credit(20);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_failed(loop.order());
  CAF_REQUIRE(loop.next() == step::sleep);
  CAF_CHECK(loop.wait_time() == duration{1s});
  loop.on_wake();
  loop.on_credit(5);
  CAF_CHECK(loop.next() == step::none);
  loop.on_timer();
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(C-115 a claim that succeeds beside a failed one ends no pause) {
  auto loop = loop_of(1, 2);
  loop.on_credit(4);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 1);
  CAF_REQUIRE(loop.next() == step::claim);
  const auto first = loop.order();
  CAF_REQUIRE(loop.next() == step::claim);
  const auto second = loop.order();
  loop.on_failed(first);
  loop.on_claimed(second, 1, 1);
  CAF_REQUIRE(loop.next() == step::sleep);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(a claim made on a permit tells whether there is more) {
  auto loop = loop_of(1, 2);
  loop.on_credit(1);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 0);
  CAF_REQUIRE(loop.next() == step::sleep);
  CAF_CHECK(loop.next() == step::none);
  loop.on_other_claimed(true);
  CAF_CHECK(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 1);
  loop.on_other_claimed(false);
  loop.on_credit(1);
  CAF_CHECK(loop.next() == step::sleep);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(C-115 a claim that fails on a permit pauses the others) {
  auto loop = loop_of(1, 2);
  loop.on_credit(2);
  loop.on_other_failed();
  CAF_CHECK(loop.next() == step::sleep);
  CAF_CHECK(loop.wait_time() == duration{1s});
  loop.on_other_claimed(true);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(X-2 a full queue is claimed from by as many as are allowed) {
  auto loop = loop_of(1, 3);
  loop.on_credit(8);
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK(loop.next() == step::none);
  loop.on_claimed(loop.order(), 1, 1);
  for (int i = 0; i < 3; ++i)
    CAF_CHECK(loop.next() == step::claim);
  CAF_CHECK(loop.next() == step::none);
  loop.allow(4);
  CAF_CHECK(loop.next() == step::claim);
}

CAF_TEST(B01 rows beyond the limit are paid from the credit to come) {
  auto loop = loop_of(10, 1);
  loop.on_credit(2);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 2, 5);
  CAF_CHECK_EQUAL(loop.credit(), 0u);
  loop.on_credit(4);
  CAF_CHECK_EQUAL(loop.credit(), 1u);
  loop.on_credit(4);
  CAF_CHECK_EQUAL(loop.credit(), 5u);
}

CAF_TEST(B01 rows beyond the limit are paid from the credit there is) {
  auto loop = loop_of(2, 1);
  loop.on_credit(5);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 2, 4);
  CAF_CHECK_EQUAL(loop.credit(), 1u);
  loop.on_credit(1);
  CAF_CHECK_EQUAL(loop.credit(), 2u);
}

CAF_TEST(B01 what a claim did not use pays for another that took too much) {
  auto loop = loop_of(2, 2);
  loop.on_credit(2);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 2, 2); // full: two may be in flight
  loop.on_credit(4);
  CAF_REQUIRE(loop.next() == step::claim);
  const auto first = loop.order();
  CAF_REQUIRE(loop.next() == step::claim);
  const auto second = loop.order();
  loop.on_claimed(first, 2, 3);
  loop.on_claimed(second, 2, 0);
  CAF_CHECK_EQUAL(loop.credit(), 1u);
}

CAF_TEST(a claim that could ask for nothing is no full one) {
  auto loop = loop_of(2, 1);
  loop.on_credit(2);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 0, 0);
  CAF_CHECK(loop.next() == step::sleep);
}

CAF_TEST(settings of nothing still claim one row by one claim) {
  auto loop = loop_of(0, 0);
  loop.on_credit(2);
  CAF_REQUIRE(loop.next() == step::claim);
  CAF_CHECK_EQUAL(loop.order().limit, 1u);
  loop.on_claimed(loop.order(), 1, 1);
  loop.allow(0);
  CAF_CHECK(loop.next() == step::claim);
}

CAF_TEST(a poll that comes due in a full queue slows no claim down) {
  auto loop = loop_of(1, 3);
  loop.on_credit(8);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 0);
  CAF_REQUIRE(loop.next() == step::sleep);
  loop.on_wake();
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_claimed(loop.order(), 1, 1);
  loop.on_timer();
  for (int i = 0; i < 3; ++i)
    CAF_CHECK(loop.next() == step::claim);
  CAF_CHECK(loop.next() == step::none);
}

CAF_TEST(a drain stops once the last claim is back) {
  auto loop = loop_of(10, 1);
  loop.on_credit(2);
  CAF_REQUIRE(loop.next() == step::claim);
  loop.on_drain();
  CAF_CHECK(loop.next() == step::none);
  loop.on_claimed(loop.order(), 2, 2);
  CAF_CHECK(loop.next() == step::stop);
  CAF_CHECK(loop.next() == step::none);
}
