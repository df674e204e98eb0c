#define CAF_SUITE low_mark
#include "caf/test/dsl.hpp"

#include "inbox/low_mark.hpp"

using namespace inbox;

namespace {

constexpr time_point noon{std::chrono::hours{12}};

struct fixture {
  /// A claim begins and ends, full.
  claim_order full(time_point first) {
    const auto order = begin();
    mark.on_claimed(order, true, first);
    return order;
  }

  claim_order begin() {
    const auto number = ++claims;
    return {number, 100, mark.begin(number, now)};
  }

  low_mark mark;
  std::uint64_t claims = 0;
  low_mark::instant now{std::chrono::hours{1}};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(low_mark_tests, fixture)

CAF_TEST(a claim begins where the full one before it began) {
  CAF_CHECK(!begin().since);
  CAF_CHECK(!full(noon).since);
  CAF_CHECK(full(noon + 1s).since == noon);
  CAF_CHECK(begin().since == noon + 1s);
}

CAF_TEST(a short claim is followed by one that looks at all rows) {
  full(noon);
  mark.on_claimed(begin(), false, noon + 1s);
  CAF_CHECK(!begin().since);
}

CAF_TEST(rows without a due time leave no mark) {
  full(noon);
  mark.on_claimed(begin(), true, std::nullopt);
  CAF_CHECK(!begin().since);
}

CAF_TEST(a dropped mark is not set again by claims that began before) {
  full(noon);
  const auto before = begin();
  mark.drop();
  mark.on_claimed(before, true, noon + 1s);
  CAF_CHECK(!full(noon + 2s).since);
  CAF_CHECK(begin().since == noon + 2s);
}

CAF_TEST(each 64th claim looks at all rows) {
  full(noon);
  int marked = 0;
  while (full(noon).since)
    ++marked;
  CAF_CHECK_EQUAL(marked, 63);
  CAF_CHECK(full(noon).since.has_value());
}

CAF_TEST(every 250 ms a claim looks at all rows) {
  full(noon);
  now += 249ms;
  CAF_CHECK(full(noon).since.has_value());
  now += 1ms;
  CAF_CHECK(!full(noon).since);
  CAF_CHECK(full(noon).since.has_value());
}

CAF_TEST(a low row that a look found brings the mark down) {
  full(noon);
  now += 1s;
  CAF_CHECK(!full(noon - 1s).since);
  CAF_CHECK(begin().since == noon - 1s);
}

CAF_TEST_FIXTURE_SCOPE_END()
