#define CAF_SUITE sqlite_enqueue
#include "inbox/test/unit.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "file_fixture.hpp"
#include "inbox/describe.hpp"
#include "inbox/sqlite/enqueue.hpp"

using namespace inbox;
using namespace inbox::test;

namespace shop {

/// What a producer writes; the id is its own.
struct receipt {
  std::int64_t id;
  std::string name, body;
};

consteval auto inbox_table(std::type_identity<receipt>) {
  using namespace inbox::role;
  return inbox::describe<receipt, "jobs">(
    id<&receipt::id>(), group<&receipt::name>(), payload<&receipt::body>(),
    retry_after<"due">(generated), attempt<"attempt">(generated),
    locked_until<"locked_until">(generated));
}

/// The same with an id of the database's.
struct mail : receipt {};

consteval auto inbox_table(std::type_identity<mail>) {
  using namespace inbox::role;
  return inbox::describe<mail, "jobs">(
    id<&mail::id>(generated), group<&mail::name>(), payload<&mail::body>(),
    retry_after<"due">(generated), attempt<"attempt">(generated),
    locked_until<"locked_until">(generated));
}

} // namespace shop

namespace {

/// A producer's own connection to the file.
struct enqueue_fixture : file_fixture {
  SQLite::Database file{path, SQLite::OPEN_READWRITE};

  static subscription queue() {
    auto spec = jobs();
    spec.columns[0].generated = true;
    return {"emails", unbox(table::make(std::move(spec))), {}};
  }

  static std::vector<new_row> numbered(std::size_t count) {
    std::vector<new_row> rows(count);
    for (std::size_t i = 0; i < count; ++i)
      rows[i].payload = std::to_string(i);
    return rows;
  }

  int rows() { return file.execAndGet("SELECT count(*) FROM jobs").getInt(); }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(sqlite_enqueue_tests, enqueue_fixture)

CAF_TEST(a session claims the rows as they were given in their order) {
  auto many = numbered(3000);
  many[7].payload = std::string{"a\0\xff", 3};
  many[8].payload = std::string(100'000, '\xfe');
  many[9].delay = 1h;
  SQLite::Transaction tx{file};
  const auto ids = unbox(sqlite::enqueue_many(file, queue(), many, now));
  tx.commit();
  CAF_REQUIRE_EQUAL(ids.size(), many.size());
  auto on = open();
  const auto claimed = claim(*on, statements(), 4000);
  CAF_REQUIRE_EQUAL(claimed.rows->size(), many.size() - 1);
  for (std::size_t i = 0; i < claimed.rows->size(); ++i) {
    const auto at = i + (i >= 9 ? 1 : 0); // the delayed one is not due
    CAF_REQUIRE(value::copy_of(claimed.rows->at(i, 0)) == ids[at]);
    CAF_REQUIRE(claimed.rows->at(i, 5).as_octets() == many[at].payload);
    CAF_REQUIRE(claimed.rows->at(i, 3).as_integer() == 1);
  }
}

CAF_TEST(a refused row in the middle takes all of them back and no more) {
  execute(*open(), "CREATE UNIQUE INDEX bodies ON jobs (body)");
  auto many = numbered(50);
  many[30].payload = "3";
  SQLite::Transaction tx{file};
  file.exec("INSERT INTO jobs (body) VALUES ('own')");
  const auto why = refusal(sqlite::enqueue_many(file, queue(), many, now));
  CAF_CHECK(why.code() == errc::constraint);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
  many = numbered(50);
  many[30].partition_key = "ada";
  CAF_CHECK(refusal(sqlite::enqueue_many(file, queue(), many, now)).code()
            == errc::missing_role);
  CAF_CHECK_EQUAL(rows(), 1);
  CAF_CHECK_EQUAL(
    unbox(sqlite::enqueue_many(file, queue(), numbered(2), now)).size(), 2u);
  tx.commit();
  CAF_CHECK_EQUAL(rows(), 3);
}

CAF_TEST(the rows go with the transaction they came in) {
  {
    SQLite::Transaction tx{file};
    unbox(sqlite::enqueue_many(file, queue(), numbered(20), now));
    CAF_CHECK_EQUAL(rows(), 20);
  }
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(without a transaction the rows are one of their own) {
  unbox(sqlite::enqueue_many(file, queue(), numbered(3), now));
  CAF_CHECK_EQUAL(answer(*open(), "SELECT count(*) FROM jobs"), "3");
  auto more = numbered(3);
  more[1].priority = 5;
  CAF_CHECK(!sqlite::enqueue_many(file, queue(), more, now));
  CAF_CHECK_EQUAL(rows(), 3);
  file.exec("BEGIN; COMMIT"); // nothing was left open
}

CAF_TEST(no rows are no statement) {
  execute(*open(), "DROP TABLE jobs");
  CAF_CHECK(unbox(sqlite::enqueue_many(file, queue(), {}, now)).empty());
  const auto why = refusal(
    sqlite::enqueue_many(file, queue(), numbered(1), now));
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK_EQUAL(why.table(), "jobs");
}

CAF_TEST(described structs are rows of their own table) {
  const std::vector<shop::mail> some{{{0, "emails", "a"}}, {{0, "fax", "b"}}};
  SQLite::Transaction tx{file};
  const auto first = unbox(sqlite::enqueue(file, some[0]));
  const auto ids = unbox(sqlite::enqueue_many(file, some));
  tx.commit();
  CAF_CHECK(first == value{1});
  CAF_CHECK((ids == std::vector<value>{value{2}, value{3}}));
  CAF_CHECK_EQUAL(answer(*open(), "SELECT group_concat(id || name || body || "
                                  "attempt) FROM jobs"),
                  "1emailsa1,2emailsa1,3faxb1");
}

CAF_TEST(ids of the producers own come back in its order) {
  const std::vector<shop::receipt> some{
    {70, "emails", "a"}, {-4, "emails", "b"}, {12, "emails", "c"}};
  const auto ids = unbox(sqlite::enqueue_many(file, some));
  CAF_CHECK((ids == std::vector<value>{value{70}, value{-4}, value{12}}));
  CAF_CHECK(refusal(sqlite::enqueue(file, some[1])).code() == errc::constraint);
  const std::vector<shop::receipt> more{{1, "emails", "d"}, some[2]};
  CAF_CHECK(refusal(sqlite::enqueue_many(file, more)).code()
            == errc::constraint);
  CAF_CHECK_EQUAL(rows(), 3);
  CAF_CHECK(
    unbox(sqlite::enqueue_many(file, std::span{some}.first(0))).empty());
}

CAF_TEST(one row comes in the transaction under way or at once) {
  unbox(sqlite::enqueue(file, queue(), {.payload = "at once"}, now));
  CAF_CHECK_EQUAL(answer(*open(), "SELECT count(*) FROM jobs"), "1");
  {
    SQLite::Transaction tx{file};
    unbox(sqlite::enqueue(file, queue(), {.payload = "taken back"}, now));
  }
  CAF_CHECK_EQUAL(rows(), 1);
  const auto why = refusal(sqlite::enqueue(file, queue(), {.priority = 5}));
  CAF_CHECK(why.code() == errc::missing_role);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
}

CAF_TEST(a trigger that keeps a row back leaves its id empty) {
  execute(*open(), "CREATE TRIGGER no_one BEFORE INSERT ON jobs WHEN "
                   "new.body = CAST('1' AS BLOB) BEGIN SELECT raise(IGNORE); "
                   "END");
  const auto ids = unbox(sqlite::enqueue_many(file, queue(), numbered(3), now));
  CAF_REQUIRE_EQUAL(ids.size(), 3u);
  CAF_CHECK(ids[1].is_null());
  CAF_CHECK(ids[2] == value{2});
}

CAF_TEST_FIXTURE_SCOPE_END()
