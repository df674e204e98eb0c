#define CAF_SUITE claim_ahead
#include "inbox/test/unit.hpp"

#include "inbox/claim_ahead.hpp"

using namespace inbox;
using instant = claim_ahead::instant;

namespace {

constexpr instant start{std::chrono::hours{1}};

/// Handlers that finish one delivery every `each`, for `all`.
std::uint32_t after(claim_ahead& ahead, duration each, duration all,
                    instant from = start) {
  for (auto at = duration::zero(); at < all; at += each)
    ahead.on_finished(1, from + at);
  return ahead.target();
}

} // namespace

CAF_TEST(it starts at the number of workers) {
  CAF_CHECK_EQUAL(claim_ahead(4, 100).target(), 4u);
  CAF_CHECK_EQUAL(claim_ahead(0, 0).target(), 1u);
}

CAF_TEST(slow handlers get nothing ahead) {
  claim_ahead ahead{4, 100};
  CAF_CHECK_EQUAL(after(ahead, 50ms, 10s), 4u);
}

CAF_TEST(fast handlers get what they finish in 100 ms) {
  claim_ahead ahead{4, 1000};
  const auto target = after(ahead, 2ms, 2s);
  CAF_CHECK(target >= 45 && target <= 64);
}

CAF_TEST(it grows by doubling and never beyond the prefetch) {
  claim_ahead ahead{1, 100};
  auto last = ahead.target();
  for (int i = 0; i < 1000; ++i) {
    ahead.on_finished(1, start + i * 100us);
    CAF_CHECK_LESS_OR_EQUAL(ahead.target(), last * 2);
    last = ahead.target();
  }
  CAF_CHECK_EQUAL(last, 100u);
}

CAF_TEST(it comes down when the handlers become slow) {
  claim_ahead ahead{2, 100};
  after(ahead, 100us, 1s);
  CAF_CHECK_EQUAL(ahead.target(), 100u);
  CAF_CHECK_EQUAL(after(ahead, 1s, 3s, start + 1s), 2u);
}
