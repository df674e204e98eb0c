#define CAF_SUITE postgres_borrowed
#include "inbox/test/postgres.hpp"

#include <pqxx/pqxx>

#include "loan.hpp"

using namespace inbox;
using test::unbox;

namespace {

struct borrowed_fixture : test::postgres_fixture {
  borrowed_fixture() {
    if (!is_skipped())
      run("CREATE TABLE " + schema() + ".t (id int, octets bytea)");
  }

  std::string insert(const std::string& values) {
    return "INSERT INTO " + schema() + ".t VALUES (" + values + ")";
  }

  std::int64_t rows() {
    return count("SELECT count(*) FROM " + schema() + ".t");
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_borrowed_tests, borrowed_fixture)

CAF_TEST(what a handler writes is committed by the session) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    auto& tx = lent.tx;
    const std::string octets{"\0\xff", 2};
    tx.exec_params(insert("$1, $2"), 7, pqxx::binarystring{octets});
    CAF_CHECK_EQUAL(tx.exec1("SELECT 41 + 1")[0].as<int>(), 42);
    CAF_CHECK(!tx.misuse());
  }
  CAF_CHECK_EQUAL(rows(), 0);
  unbox(c->commit());
  CAF_CHECK_EQUAL(rows(), 1);
  CAF_CHECK_EQUAL(one("SELECT octets FROM " + schema() + ".t"), "00ff");
}

CAF_TEST(what a handler wrote goes when the session rolls back) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    auto& tx = lent.tx;
    tx.exec(insert("1, NULL"));
  }
  c->roll_back();
  CAF_CHECK_EQUAL(rows(), 0);
  // The session's own ways work again: pipelines, binary values.
  CAF_CHECK_EQUAL(unbox(c->execute("SELECT $1::int", std::vector{value{5}}))
                    .rows->at(0, 0)
                    .as_integer(),
                  5);
}

CAF_TEST(the commit of a handler does nothing and is remembered) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    auto& tx = lent.tx;
    tx.exec(insert("1, NULL"));
    tx.commit();
    CAF_CHECK_EQUAL(tx.misuse().value_or(""), "commit");
    CAF_CHECK_EQUAL(rows(), 0);
    CAF_CHECK(test::throws<pqxx::usage_error>([&] { tx.exec("SELECT 1"); }));
  }
  c->roll_back();
  {
    unbox(c->begin());
    test::loan lent{*c};
    auto& tx = lent.tx;
    tx.abort();
    CAF_CHECK_EQUAL(tx.misuse().value_or(""), "abort");
  }
  c->roll_back();
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(a handler may try something in a subtransaction) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    auto& tx = lent.tx;
    tx.exec(insert("1, NULL"));
    {
      pqxx::subtransaction attempt{tx, "attempt"};
      attempt.exec(insert("2, NULL"));
      CAF_CHECK(
        test::throws<pqxx::sql_error>([&] { attempt.exec("SELECT 1 / 0"); }));
    }
    tx.exec(insert("3, NULL"));
    CAF_CHECK(!tx.misuse());
  }
  unbox(c->commit());
  CAF_CHECK_EQUAL(
    one("SELECT string_agg(id::text, ',' ORDER BY id) FROM " + schema() + ".t"),
    "1,3");
}

CAF_TEST(a killed session fails every later statement and never reconnects) {
  if (is_skipped())
    return;
  auto c = connect();
  unbox(c->begin());
  {
    test::loan lent{*c};
    auto& tx = lent.tx;
    tx.exec(insert("1, NULL"));
    kill(*c);
    for (int i = 0; i < 4; ++i)
      CAF_CHECK(test::throws<pqxx::broken_connection>(
        [&] { tx.exec(insert("2, NULL")); }));
  }
  CAF_CHECK(!c->commit());
  CAF_CHECK(c->is_lost());
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST_FIXTURE_SCOPE_END()
