#define CAF_SUITE claim_loop
#include "inbox/test/random.hpp"

#include <algorithm>
#include <vector>

#include "inbox/claim_loop.hpp"

using namespace inbox;
using step = claim_loop::step;

namespace {

claim_loop loop_of(std::uint32_t most, std::uint32_t allowed) {
  return claim_loop{
    {.poll_interval = 5s, .pause = 1s, .most = most, .allowed = allowed}};
}

/// Follows a loop the way a claimer does and checks what must always hold.
class follower {
public:
  explicit follower(claim_loop& loop, std::uint32_t allowed)
    : loop_{loop}, allowed_{allowed} {}

  void credit(std::uint32_t n) {
    free_ += n;
    loop_.on_credit(n);
    follow();
  }

  void wake() {
    woken_ = true;
    loop_.on_wake();
    follow();
  }

  void fire() {
    if (!armed_)
      return;
    armed_ = paused_ = false;
    loop_.on_timer();
    follow();
  }

  void hold(bool held) {
    held_ = held;
    loop_.hold(held);
    follow();
  }

  void answer(std::size_t which, std::uint32_t asked, std::uint32_t rows) {
    const auto order = take(which);
    free_ -= rows;
    loop_.on_claimed(order, asked, rows);
    follow();
    if (rows >= asked && can_claim())
      CAF_CHECK(!in_flight.empty());
  }

  void fail(std::size_t which) {
    loop_.on_failed(take(which));
    paused_ = true;
    armed_ = false;
    follow();
    CAF_CHECK(armed_);
    CAF_CHECK(loop_.sleep_for() == duration{1s});
  }

  void drain() {
    loop_.on_drain();
    draining_ = true;
    follow();
    while (!in_flight.empty())
      answer(0, in_flight[0].limit, in_flight[0].limit);
    CAF_CHECK(stopped_);
  }

  std::vector<claim_order> in_flight;

private:
  bool can_claim() const {
    return loop_.credit() > 0 && !paused_ && !held_ && !draining_;
  }

  claim_order take(std::size_t which) {
    const auto order = in_flight[which];
    in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(which));
    return order;
  }

  void follow() {
    for (auto s = loop_.next(); s != step::none; s = loop_.next())
      switch (s) {
        case step::claim: began(loop_.order()); break;
        case step::sleep: armed_ = true; break;
        default: stopped_ = true; CAF_CHECK(in_flight.empty());
      }
    if (can_claim() && in_flight.empty())
      CAF_CHECK(armed_ && !woken_);
  }

  void began(const claim_order& order) {
    CAF_CHECK(!paused_ && !held_ && !draining_);
    woken_ = false;
    in_flight.push_back(order);
    std::uint32_t promised = 0;
    for (const auto& o : in_flight)
      promised += o.limit;
    CAF_CHECK_LESS_OR_EQUAL(promised, free_);
    CAF_CHECK_LESS_OR_EQUAL(in_flight.size(), std::size_t{allowed_});
  }

  claim_loop& loop_;
  std::uint32_t allowed_;
  std::uint32_t free_ = 0;
  bool armed_ = false;
  bool paused_ = false;
  bool woken_ = false;
  bool held_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

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
  CAF_CHECK(loop.sleep_for() == duration{5s});
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
  CAF_CHECK(loop.sleep_for() == duration{1s});
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

CAF_TEST(whatever happens the invariants hold) {
  test::random dice;
  for (int round = 0; round < 200; ++round) {
    const auto allowed = 1 + dice.below(4);
    auto loop = loop_of(1 + dice.below(20), allowed);
    follower follows{loop, allowed};
    for (int event = 0; event < 200; ++event) {
      const auto flying = static_cast<std::uint32_t>(follows.in_flight.size());
      switch (dice.below(flying > 0 ? 6 : 4)) {
        case 0: follows.credit(1 + dice.below(5)); break;
        case 1: follows.wake(); break;
        case 2: follows.fire(); break;
        case 3: follows.hold(dice.chance(20)); break;
        case 4: {
          const auto which = dice.below(flying);
          const auto asked = 1 + dice.below(follows.in_flight[which].limit);
          follows.answer(which, asked, dice.below(asked + 1));
          break;
        }
        default: follows.fail(dice.below(flying));
      }
    }
    follows.drain();
  }
}
