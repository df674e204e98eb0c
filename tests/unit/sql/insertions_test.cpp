#define CAF_SUITE insertions
#include "inbox/test/unit.hpp"

#include "inbox/insertion.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/sqlite/dialect.hpp"
#include "inbox/test/samples.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;
using role = column_role;

namespace {

constexpr time_point now{1s};
using sizes = std::vector<std::size_t>;

/// A queue whose inserts write the group, the priority and the payload.
subscription queue() {
  return test::jobs({role::id, role::group, role::priority, role::payload});
}

std::vector<new_row> numbered(std::size_t count) {
  std::vector<new_row> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i].payload = std::to_string(i);
  return rows;
}

std::vector<insertion> on_postgres(const subscription& to,
                                   const std::vector<new_row>& rows) {
  return unbox(
    insertions_of(postgres::dialect{}, to.description, rows_of(to, rows, now)));
}

sizes sizes_of(const std::vector<insertion>& all) {
  sizes rows;
  for (const auto& i : all)
    rows.push_back(i.rows);
  return rows;
}

/// The payloads in the order they are written; the last value of each row.
std::vector<std::string> payloads_of(const std::vector<insertion>& all) {
  std::vector<std::string> payloads;
  for (const auto& i : all) {
    const auto width = i.values.size() / i.rows;
    for (std::size_t at = width; at <= i.values.size(); at += width)
      payloads.emplace_back(*i.values[at - 1].view().as_octets());
  }
  return payloads;
}

shared_rows answer(std::size_t ids) {
  row_set::builder rows{{"id"}};
  for (std::size_t i = 0; i < ids; ++i)
    rows.add(value{static_cast<std::int64_t>(10 + i)});
  return std::move(rows).finish();
}

} // namespace

CAF_TEST(rows of the same columns share an insert) {
  const auto all = on_postgres(queue(), numbered(2));
  CAF_REQUIRE_EQUAL(all.size(), 1u);
  CAF_CHECK_EQUAL(all[0].insert->text,
                  "INSERT INTO \"jobs\" (\"group\", \"priority\", \"payload\") "
                  "VALUES ($1, $2, $3), ($4, $5, $6) RETURNING \"id\"");
  CAF_CHECK_EQUAL(all[0].values.size(), 6u);
  CAF_CHECK_EQUAL(all[0].insert->params.size(), 6u);
}

CAF_TEST(any number of rows takes few texts and keeps the order) {
  CAF_CHECK(sizes_of(on_postgres(queue(), {})).empty());
  CAF_CHECK((sizes_of(on_postgres(queue(), numbered(7))) == sizes{5, 2}));
  const auto rows = numbered(2789);
  const auto all = on_postgres(queue(), rows);
  CAF_CHECK(
    (sizes_of(all) == sizes{1000, 1000, 500, 200, 50, 20, 10, 5, 2, 2}));
  const auto payloads = payloads_of(all);
  CAF_REQUIRE_EQUAL(payloads.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    CAF_REQUIRE_EQUAL(payloads[i], rows[i].payload);
}

CAF_TEST(rows that write other columns start another insert) {
  auto spec = test::jobs_spec({role::id, role::priority, role::payload});
  spec.columns[1].generated = true; // written only where a row sets it
  auto rows = numbered(5);
  rows[2].priority = 4;
  rows[3].priority = 0;
  const auto all = on_postgres(test::serving(spec), rows);
  CAF_CHECK((sizes_of(all) == sizes{2, 2, 1}));
  CAF_CHECK_EQUAL(all[0].values.size(), 2u);
  CAF_CHECK_EQUAL(all[1].values.size(), 4u);
  CAF_CHECK(
    (payloads_of(all) == std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

CAF_TEST(an insert stays within eight MiB unless one row is larger) {
  std::vector<new_row> rows(5);
  for (std::size_t i = 0; i < 4; ++i)
    rows[i].payload = std::string(3u << 20, static_cast<char>('a' + i));
  rows[4].payload = std::string(9u << 20, 'e');
  const auto all = on_postgres(queue(), rows);
  CAF_CHECK((sizes_of(all) == sizes{2, 2, 1}));
  const auto payloads = payloads_of(all);
  for (std::size_t i = 0; i < 5; ++i)
    CAF_CHECK(payloads[i] == rows[i].payload);
}

CAF_TEST(no insert has more placeholders than the protocol counts) {
  const postgres::dialect speaks;
  for (const std::size_t columns : {1u, 2u, 3u, 7u, 100u, 1600u}) {
    const auto most = speaks.insert_limit(columns);
    CAF_CHECK(most * columns <= 65'535u);
    CAF_CHECK((most + 1) * columns > 65'535u);
  }
  CAF_CHECK_EQUAL(speaks.insert_limit(0), 1u);
}

CAF_TEST(a row of defaults alone and a row for SQLite go one by one) {
  const auto bare = test::jobs({role::id});
  const auto all = on_postgres(bare, numbered(0));
  CAF_CHECK(all.empty());
  const std::vector<new_row> defaults(3);
  CAF_CHECK((sizes_of(on_postgres(bare, defaults)) == sizes{1, 1, 1}));
  const auto to = queue();
  const auto rows = numbered(3);
  const auto single = unbox(
    insertions_of(sqlite::dialect{}, to.description, rows_of(to, rows, now)));
  CAF_CHECK((sizes_of(single) == sizes{1, 1, 1}));
  CAF_CHECK((payloads_of(single) == std::vector<std::string>{"0", "1", "2"}));
}

CAF_TEST(a row that fits no column refuses them all) {
  const auto to = queue();
  auto rows = numbered(3);
  rows[1].partition_key = "ada";
  const auto why = refusal(
    insertions_of(postgres::dialect{}, to.description, rows_of(to, rows, now)));
  CAF_CHECK(why.code() == errc::missing_role);
}

CAF_TEST(ids are as many as the rows or are not told apart) {
  const auto ids = unbox(ids_of(*answer(3), 3));
  CAF_REQUIRE_EQUAL(ids.size(), 3u);
  CAF_CHECK(ids[0] == value{10});
  CAF_CHECK(ids[2] == value{12});
  CAF_CHECK(refusal(ids_of(*answer(2), 3)).code() == errc::statement);
  // A trigger that puts every row elsewhere leaves none to answer.
  const auto none = unbox(ids_of(*answer(0), 2));
  CAF_REQUIRE_EQUAL(none.size(), 2u);
  CAF_CHECK(none[0].is_null() && none[1].is_null());
}
