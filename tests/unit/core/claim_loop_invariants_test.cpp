#define CAF_SUITE claim_loop_invariants
#include "inbox/test/random.hpp"

#include <vector>

#include "inbox/claim_loop.hpp"

using namespace inbox;
using step = claim_loop::step;

namespace {

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
    CAF_CHECK(loop_.wait_time() == duration{1s});
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

CAF_TEST(whatever happens the invariants hold) {
  test::random dice;
  for (int round = 0; round < 200; ++round) {
    const auto allowed = 1 + dice.below(4);
    claim_loop loop{{.poll_interval = 5s,
                     .pause = 1s,
                     .most = 1 + dice.below(20),
                     .allowed = allowed}};
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
