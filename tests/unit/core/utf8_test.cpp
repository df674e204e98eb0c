#define CAF_SUITE utf8
#include "inbox/test/random.hpp"

#include <vector>

#include "inbox/utf8.hpp"

using namespace inbox;

CAF_TEST(characters of every length are UTF-8) {
  CAF_CHECK_EQUAL(utf8_length(""), 0u);
  CAF_CHECK_EQUAL(utf8_length("a"), 1u);
  CAF_CHECK_EQUAL(utf8_length("\xc3\xa9"), 2u);
  CAF_CHECK_EQUAL(utf8_length("\xe2\x82\xac"), 3u);
  CAF_CHECK_EQUAL(utf8_length("\xf0\x9f\x98\x80"), 4u);
  CAF_CHECK_EQUAL(utf8_length("\xf4\x8f\xbf\xbf"), 4u);
}

CAF_TEST(overlong forms and surrogates and stray octets are not) {
  const std::vector<std::string> wrong{
    "\x80",
    "\xc0\x80",
    "\xc1\xbf",
    "\xe0\x80\x80",
    "\xed\xa0\x80",
    "\xf0\x80\x80\x80",
    "\xf4\x90\x80\x80",
    "\xf5\x80\x80\x80",
    "\xff",
    "\xc3",
    "\xe2\x82",
    "\xc3(",
  };
  for (const auto& text : wrong)
    CAF_CHECK_EQUAL(utf8_length(text), 0u);
}

CAF_TEST(printable text shows control characters as question marks) {
  CAF_CHECK_EQUAL(to_printable({"a\0b\n\x7f\x1b[m", 8}, 100), "a?b???[m");
  CAF_CHECK_EQUAL(to_printable("\xc3\xa9\xff", 100), "\xc3\xa9?");
}

CAF_TEST(a cut falls between two characters) {
  CAF_CHECK_EQUAL(to_printable("abc", 3), "abc");
  CAF_CHECK_EQUAL(to_printable("abcd", 3), "abc...");
  CAF_CHECK_EQUAL(to_printable("ab\xc3\xa9", 3), "ab...");
}

CAF_TEST(B31 random octets always become UTF-8 of limited size) {
  test::random dice;
  for (int i = 0; i < 5'000; ++i) {
    const auto text = to_printable(dice.octets(100), 40);
    CAF_REQUIRE(is_utf8(text));
    CAF_REQUIRE_LESS_OR_EQUAL(text.size(), 43u);
  }
}
