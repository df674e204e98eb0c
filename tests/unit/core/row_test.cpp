#define CAF_SUITE row
#include "inbox/test/unit.hpp"

#include "inbox/row.hpp"

using namespace inbox;

namespace {

row_set::builder three_rows() {
  row_set::builder rows{{"id", "body"}};
  rows.reserve(3, 16);
  for (const auto& [id, body] : {std::pair{3, "c"}, {1, "a"}, {2, ""}}) {
    rows.add(value{id});
    rows.add(value{body});
  }
  return rows;
}

} // namespace

CAF_TEST(rows are read by position and by name) {
  auto rows = three_rows();
  CAF_CHECK_EQUAL(rows.size(), 3u);
  const row first{std::move(rows).finish(), 0};
  CAF_CHECK_EQUAL(first.size(), 2u);
  CAF_CHECK_EQUAL(first.name(1), "body");
  CAF_CHECK(first.at(0).as_integer() == std::int64_t{3});
  CAF_CHECK(first.at(*first.find("body")).as_text() == "c");
  CAF_CHECK(!first.find("Body"));
}

CAF_TEST(octets are copied in and keep NUL and emptiness apart from NULL) {
  row_set::builder rows{{"a", "b", "c"}};
  {
    const std::string gone{"\0x", 2};
    rows.add(value_view::bytes(gone));
    rows.add(value_view::text(""));
    rows.add(value_view{});
  }
  const row r{std::move(rows).finish(), 0};
  CAF_CHECK(r.at(0).as_octets() == (std::string_view{"\0x", 2}));
  CAF_CHECK(r.at(1).as_text() == "");
  CAF_CHECK(r.at(2).is_null());
}

CAF_TEST(a row set is sorted stably) {
  auto rows = three_rows();
  rows.add(value{1});
  rows.add(value{"later"});
  rows.sort([&rows](std::size_t a, std::size_t b) {
    return *rows.at(a, 0).as_integer() < *rows.at(b, 0).as_integer();
  });
  const auto sorted = std::move(rows).finish();
  std::string bodies;
  for (std::size_t i = 0; i < sorted->size(); ++i)
    bodies += std::string{*sorted->at(i, 1).as_text()} + ",";
  CAF_CHECK_EQUAL(bodies, "a,later,,c,");
}

CAF_TEST(copies of a row outlive the set they came from) {
  row kept;
  CAF_CHECK_EQUAL(kept.size(), 0u);
  CAF_CHECK(!kept.find("id"));
  {
    const row first{std::move(three_rows()).finish(), 0};
    kept = first;
  }
  CAF_CHECK(kept.at(1).as_text() == "c");
}

CAF_TEST(a set without rows keeps its columns) {
  const auto empty = row_set::builder{{"id"}}.finish();
  CAF_CHECK_EQUAL(empty->size(), 0u);
  CAF_CHECK_EQUAL(empty->columns().size(), 1u);
}
