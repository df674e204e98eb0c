#define CAF_SUITE time
#include "inbox/test/random.hpp"

#include "inbox/time.hpp"
#include "inbox/utf8.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

time_point at(const char* text) {
  const auto t = parse_time(text);
  if (!t)
    CAF_FAIL("no time: " << text);
  return *t;
}

/// Seconds since 1970 and microseconds.
time_point when(std::int64_t seconds, std::int64_t micros = 0) {
  return time_point{duration{seconds * 1'000'000 + micros}};
}

} // namespace

CAF_TEST(times are written to the microsecond) {
  const auto t = when(1'767'323'045, 678'901);
  CAF_CHECK_EQUAL(to_rfc3339(t), "2026-01-02T03:04:05.678901Z");
  CAF_CHECK_EQUAL(to_sql_text(t), "2026-01-02 03:04:05.678901");
  CAF_CHECK_EQUAL(to_rfc3339(when(-1)), "1969-12-31T23:59:59.000000Z");
}

CAF_TEST(every written form is read back) {
  test::random dice;
  for (int i = 0; i < 5'000; ++i) {
    // From the year 1 to the year 9999.
    const auto seconds = static_cast<std::int64_t>(
      dice.unit() * 315'537'897'599.0 - 62'135'596'800.0);
    const auto t = when(seconds, dice.below(1'000'000));
    CAF_REQUIRE(parse_time(to_rfc3339(t)) == t);
    CAF_REQUIRE(parse_time(to_sql_text(t)) == t);
  }
}

CAF_TEST(D6 text order is time order) {
  test::random dice;
  for (int i = 0; i < 5'000; ++i) {
    const auto a = when(dice.below(2'000'000'000), dice.below(1'000'000));
    const auto b = when(dice.below(2'000'000'000), dice.below(1'000'000));
    CAF_REQUIRE_EQUAL(to_sql_text(a) < to_sql_text(b), a < b);
  }
}

CAF_TEST(the forms of SQLite and RFC 3339 are read) {
  CAF_CHECK(at("1970-01-02") == when(86'400));
  CAF_CHECK(at("1970-01-01 00:01") == when(60));
  CAF_CHECK(at("1970-01-01T00:00:01") == when(1));
  CAF_CHECK(at("1970-01-01t00:00:01z") == when(1));
  CAF_CHECK(at("1970-01-01 00:00:01.5") == when(1, 500'000));
  CAF_CHECK(at("1970-01-01 00:00:01.1234567899") == when(1, 123'456));
  CAF_CHECK(at("1970-01-01T01:00:00+01:00") == when(0));
  CAF_CHECK(at("1970-01-01 00:00:00-02:30") == when(9'000));
  CAF_CHECK(at("1970-01-01 00:00:00 +00") == when(0));
  CAF_CHECK(at("1970-01-01 24:30") == when(88'200)); // as SQLite reads it
  CAF_CHECK(at("2024-02-29") == at("2024-02-28") + std::chrono::days{1});
}

CAF_TEST(anything else is no time) {
  for (const auto* text :
       {"", "now", "2026", "2026-13-01", "2025-02-29", "2026-1-2",
        "2026-01-01T", "2026-01-01 25:00", "2026-01-01 00:60",
        "2026-01-01 00:00:60", "2026-01-01 00:00:00.", "2026-01-01 00:00Zx",
        "2026-01-01 00:00:00+1", "-026-01-01", "2026-01-01 -1:00",
        "2026-01-01 00:00.5", "1767323045"})
    CAF_CHECK_EQUAL(parse_time(text).has_value(), false);
}

CAF_TEST(random octets are read or refused without harm) {
  test::random dice;
  for (int i = 0; i < 50'000; ++i) {
    const auto text = dice.octets(30, i % 2 ? "0123456789-: TZ.+" : "");
    if (const auto t = parse_time(text))
      CAF_REQUIRE(parse_time(to_rfc3339(*t)) == t);
    if (const auto d = parse_duration(text))
      CAF_REQUIRE(parse_duration(to_string(*d)) == *d);
  }
}

CAF_TEST(delays are clamped to the longest one and never run backwards) {
  CAF_CHECK(after_delay(when(5), -1s) == when(5));
  CAF_CHECK(after_delay(when(5), 2s) == when(7));
  CAF_CHECK(after_delay(when(5), duration::max()) == when(5) + max_delay);
}

CAF_TEST(a lease ends at the first whole second not before it) {
  CAF_CHECK(lease_end(when(10), 30s) == when(40));
  CAF_CHECK(lease_end(when(10, 1), 30s) == when(41));
  CAF_CHECK(lease_end(when(10, 999'999), 1s) == when(12));
  CAF_CHECK(lease_end(when(-10, 1), 1s) == when(-8));
}

CAF_TEST(durations are read with their units) {
  CAF_CHECK(unbox(parse_duration("250us")) == duration{250});
  CAF_CHECK(unbox(parse_duration("500ms")) == duration{500ms});
  CAF_CHECK(unbox(parse_duration("0s")) == duration::zero());
  CAF_CHECK(unbox(parse_duration("5m")) == duration{5min});
  CAF_CHECK(unbox(parse_duration("2h")) == duration{2h});
  CAF_CHECK(unbox(parse_duration("3650d")) == max_delay);
}

CAF_TEST(what is no duration is refused with the units) {
  for (const auto* text : {"", "5", "s", "-1s", "1.5s", "5 s", "5min", "+5s",
                           "3651d", "99999999999999999999s"}) {
    const auto why = refusal(parse_duration(text));
    CAF_CHECK(why.code() == errc::invalid_setting);
  }
  CAF_CHECK(refusal(parse_duration("5x")).message().find("\"5x\"")
            != std::string::npos);
  CAF_CHECK(is_utf8(refusal(parse_duration("\xff")).message()));
}

CAF_TEST(durations are written in their largest whole unit) {
  CAF_CHECK_EQUAL(to_string(duration{90s}), "90s");
  CAF_CHECK_EQUAL(to_string(duration{120s}), "2m");
  CAF_CHECK_EQUAL(to_string(duration{48h}), "2d");
  CAF_CHECK_EQUAL(to_string(duration{1500}), "1500us");
  CAF_CHECK_EQUAL(to_string(duration{}), "0s");
}
