#define CAF_SUITE value
#include "inbox/test/random.hpp"

#include <unordered_set>

#include "inbox/utf8.hpp"
#include "inbox/value.hpp"

using namespace inbox;

CAF_TEST(a kept value outlives whatever it was seen in) {
  auto octets = std::make_shared<std::string>(
    "too long to lie within a string");
  const auto kept = value::kept(value_view::text(*octets), octets);
  const std::weak_ptr<std::string> alive = octets;
  octets = nullptr;
  const auto copy = kept;
  CAF_CHECK(!alive.expired());
  CAF_CHECK(copy.view() == value_view::text("too long to lie within a string"));
  CAF_CHECK(copy == value::copy_of(kept));
  CAF_CHECK(value::kept(value_view::of(std::int64_t{7}), nullptr) == value{7});
}

CAF_TEST(a value answers in its own kind alone) {
  const value n{7};
  CAF_CHECK(n.view().as_integer() == std::int64_t{7});
  CAF_CHECK(!n.view().as_real() && !n.view().as_text());
  CAF_CHECK(!n.view().as_boolean() && !n.view().as_time());
  CAF_CHECK(value{true}.view().as_boolean() == true);
  CAF_CHECK(value{0.5}.view().as_real() == 0.5);
  CAF_CHECK(value{time_point{1s}}.view().as_time() == time_point{1s});
  CAF_CHECK(value{"a"}.view().as_text() == "a");
  CAF_CHECK(value_view::decimal("1.10").as_text() == "1.10");
  const auto octets = value::bytes(std::string{"\0\xff", 2});
  CAF_CHECK(!octets.view().as_text());
  CAF_CHECK(octets.view().as_octets()->size() == 2u);
  CAF_CHECK(value{}.is_null());
}

CAF_TEST(values are equal in kind and content) {
  CAF_CHECK(value{"a"} == value{std::string{"a"}});
  CAF_CHECK(!(value{"a"} == value::json("a")));
  CAF_CHECK(!(value{1} == value{true}));
  CAF_CHECK(!(value{1} == value{2}));
  CAF_CHECK(!(value{0.5} == value{0.25}));
  CAF_CHECK(value{} == value{});
  CAF_CHECK(!(value{""} == value{}));
}

CAF_TEST(a copy and a moved value own their octets) {
  std::string text(100, 'x');
  auto copy = value::copy_of(value_view::text(text));
  text.assign(100, 'y');
  CAF_CHECK(copy.view().as_text() == std::string(100, 'x'));
  const auto moved = std::move(copy);
  CAF_CHECK(moved.view().as_text() == std::string(100, 'x'));
  const auto shorter = value::copy_of(value{"ab"});
  const auto again = shorter;
  CAF_CHECK(again.view().as_text() == "ab");
}

CAF_TEST(values are shown readably) {
  CAF_CHECK_EQUAL(value{}.view().to_display(), "NULL");
  CAF_CHECK_EQUAL(value{-3}.view().to_display(), "-3");
  CAF_CHECK_EQUAL(value{true}.view().to_display(), "true");
  CAF_CHECK_EQUAL(value{0.5}.view().to_display(), "0.5");
  CAF_CHECK_EQUAL(value{"a\nb"}.view().to_display(), "a?b");
  CAF_CHECK_EQUAL(value::bytes(std::string{"\x01\xff", 2}).view().to_display(),
                  "01ff");
  CAF_CHECK_EQUAL(value{time_point{1s}}.view().to_display(),
                  "1970-01-01T00:00:01.000000Z");
}

CAF_TEST(what is shown is UTF-8 and of limited size) {
  test::random dice;
  for (int i = 0; i < 2'000; ++i) {
    const auto octets = dice.octets(400);
    for (const auto& v :
         {value_view::text(octets), value_view::bytes(octets)}) {
      CAF_REQUIRE(is_utf8(v.to_display()));
      CAF_REQUIRE_LESS_OR_EQUAL(v.to_display().size(), 203u);
    }
  }
}

CAF_TEST(equal values have equal hashes and ids spread) {
  std::unordered_set<std::size_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    hashes.insert(value_hash{}(value{i}));
    CAF_REQUIRE_EQUAL(value_hash{}(value{i}), value_hash{}(value{i}.view()));
  }
  for (int i = 0; i < 1000; ++i)
    hashes.insert(value_hash{}(value{time_point{1h} + i * 1s}));
  CAF_CHECK_GREATER(hashes.size(), std::size_t{1900});
}
