#define CAF_SUITE policy
#include "inbox/test/random.hpp"

#include <limits>

#include "inbox/policy.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

CAF_TEST(a backoff doubles up to its cap) {
  const backoff b{.first = 1s, .factor = 2, .cap = 10s, .jitter = 0};
  CAF_CHECK(b.delay(1, 0) == duration{1s});
  CAF_CHECK(b.delay(2, 0) == duration{2s});
  CAF_CHECK(b.delay(4, 0) == duration{8s});
  CAF_CHECK(b.delay(5, 0) == duration{10s});
}

CAF_TEST(jitter shortens and lengthens but never beyond the cap) {
  const backoff b{.first = 1s, .factor = 2, .cap = 10s, .jitter = 0.5};
  CAF_CHECK(b.delay(1, 0) == duration{500ms});
  CAF_CHECK(b.delay(1, 0.5) == duration{1s});
  CAF_CHECK(b.delay(9, 0.999) == duration{10s});
}

CAF_TEST(settings and numbers out of range count as the nearest in it) {
  const auto delay = [](backoff b, double random) {
    b.first = 1s;
    return b.delay(3, random);
  };
  // A factor never shortens the wait.
  CAF_CHECK(delay({.factor = 0.5, .jitter = 0}, 0) == duration{1s});
  CAF_CHECK(delay({.factor = 1, .jitter = 2}, 0.25) == duration{500ms});
  CAF_CHECK(delay({.factor = 1, .jitter = -1}, 0) == duration{1s});
  CAF_CHECK(delay({.factor = 1, .jitter = 0.5}, -1) == duration{500ms});
  CAF_CHECK(delay({.factor = 1, .jitter = 0.5}, 2) == duration{1500ms});
}

CAF_TEST(B28 no attempt overflows and delays grow up to the cap) {
  for (const auto cap : {duration{10min}, duration::max(), duration{-1}})
    for (const auto first :
         {duration{1s}, duration{0}, duration::max(), duration::min()}) {
      const backoff b{.first = first, .factor = 2, .cap = cap, .jitter = 0.1};
      auto last = duration::zero();
      for (std::uint64_t attempt = 0; attempt <= 40'000; ++attempt) {
        const auto d = b.delay(attempt, 0.5);
        if (d < last || d > std::max(cap, duration::zero()) || d > max_delay)
          CAF_FAIL("attempt " << attempt << " waits " << d.count());
        last = d;
      }
      CAF_CHECK(b.delay(std::numeric_limits<std::uint64_t>::max(), 0.99)
                >= duration::zero());
    }
}

CAF_TEST(B28 settings that make no sense still give a delay within the cap) {
  test::random dice;
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto infinity = std::numeric_limits<double>::infinity();
  for (const double odd : {nan, infinity, -infinity, -1.0, 1e300, 0.0})
    for (int i = 0; i < 100; ++i) {
      const backoff b{.first = 1s, .factor = odd, .cap = 1min, .jitter = odd};
      const auto d = b.delay(dice.below(100), i % 2 == 0 ? odd : dice.unit());
      CAF_CHECK(d >= duration::zero() && d <= duration{1min});
    }
}

CAF_TEST(C-148 each policy settles with its outcome) {
  using kind = failure_policy::kind;
  const auto decide = [](failure_policy p) { return p.decide(1, 0.5); };
  CAF_CHECK(decide({kind::drop, {}, {}}) == drop());
  CAF_CHECK(decide({kind::skip, {}, {}}) == ack());
  CAF_CHECK(decide({kind::retry, {}, {}}) == retry());
  CAF_CHECK(decide({kind::retry_after, 5s, {}}) == retry_after(5s));
  CAF_CHECK(decide({kind::retry, {}, backoff{}}) == retry_after(1s));
  CAF_CHECK(!decide(fail_fast));
  const failure_policy growing{kind::retry, {}, backoff{.jitter = 0.5}};
  CAF_CHECK(growing.decide(3, 0) == retry_after(2s));
  CAF_CHECK(growing.decide(3, 0.5) == retry_after(4s));
}

CAF_TEST(policies are read as a configuration writes them) {
  using kind = failure_policy::kind;
  CAF_CHECK(unbox(parse_policy("retry")).what == kind::retry);
  CAF_CHECK(unbox(parse_policy("drop")).what == kind::drop);
  CAF_CHECK(unbox(parse_policy("ack")).what == kind::skip);
  CAF_CHECK(unbox(parse_policy("stop")) == fail_fast);
  CAF_CHECK(unbox(parse_policy("retry_after:10m")).delay == duration{10min});
  for (const auto* text :
       {"", "Retry", "retry_after", "retry_after:", "retry_after:ten", "drop "})
    CAF_CHECK(refusal(parse_policy(text)).code() == errc::invalid_setting);
}

CAF_TEST(a refused policy is shown in a form that fits a line of the log) {
  const auto shown = refusal(parse_policy("a\n" + std::string(1000, 'x')));
  CAF_CHECK(shown.message().find('\n') == std::string::npos);
  CAF_CHECK(shown.message().size() < 200);
}
