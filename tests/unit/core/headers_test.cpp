#define CAF_SUITE headers
#include "inbox/test/random.hpp"

#include "inbox/headers.hpp"
#include "inbox/utf8.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

CAF_TEST(an object of strings is read and written) {
  const header_map headers{{"a", "1"}, {"x-id", "\xc3\xa9 \"q\""}, {"", ""}};
  CAF_CHECK(unbox(parse_headers(unbox(to_json(headers)))) == headers);
  CAF_CHECK_EQUAL(unbox(to_json({})), "{}");
}

CAF_TEST(nothing and null and an empty object are no headers) {
  for (const auto* text : {"", "null", "{}", " { } "})
    CAF_CHECK(unbox(parse_headers(text)).empty());
}

CAF_TEST(anything else does not decode) {
  for (const auto* text : {"[]", "1", "\"a\"", "{", "{\"a\":1}", "{\"a\":null}",
                           "{\"a\":{}}", "{} x", "\xff"}) {
    const auto why = refusal(parse_headers(text));
    CAF_CHECK(why.code() == errc::undecodable);
    CAF_CHECK(is_utf8(why.message()));
  }
}

CAF_TEST(C-113 a header that is no UTF-8 is refused by name) {
  const auto why = refusal(to_json({{"good", "1"}, {"bad", "\xff"}}));
  CAF_CHECK(why.code() == errc::undecodable);
  CAF_CHECK(why.message().find("\"bad\"") != std::string::npos);
  CAF_CHECK(!to_json({{"\xc3", "1"}}));
}

CAF_TEST(random octets never do harm and what reads is written back) {
  test::random dice;
  for (int i = 0; i < 20'000; ++i) {
    const auto read = parse_headers(
      dice.octets(24, i % 2 ? "{}\":,ab\\ n\xc3\xa9u0" : ""));
    if (read)
      CAF_REQUIRE(unbox(parse_headers(unbox(to_json(*read)))) == *read);
    else
      CAF_REQUIRE(is_utf8(read.error().message()));
  }
}
