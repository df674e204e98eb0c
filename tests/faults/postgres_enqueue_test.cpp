#define CAF_SUITE postgres_enqueue
#include "inbox/test/postgres.hpp"

#include <pqxx/pqxx>

#include "inbox/describe.hpp"
#include "inbox/postgres/enqueue.hpp"
#include "inbox/test/samples.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace shop {

struct mail {
  std::int64_t id;
  std::string group, payload;
};

// Without a schema, as the search path finds it.
consteval auto inbox_table(std::type_identity<mail>) {
  using namespace inbox::role;
  return inbox::describe<mail, "jobs">(
    id<&mail::id>(generated), group<&mail::group>(), payload<&mail::payload>());
}

/// The same with ids of the producer's own.
struct receipt : mail {};

consteval auto inbox_table(std::type_identity<receipt>) {
  using namespace inbox::role;
  return inbox::describe<receipt, "jobs">(
    id<&receipt::id>(), group<&receipt::group>(), payload<&receipt::payload>());
}

} // namespace shop

namespace {

constexpr time_point now{std::chrono::seconds{1'767'323'045}};

/// A producer of libpqxx's own beside the test's session.
struct enqueue_fixture : test::postgres_fixture {
  enqueue_fixture() {
    if (is_skipped())
      return;
    run("CREATE DOMAIN " + schema() + ".octets AS bytea");
    run("CREATE DOMAIN " + schema() + ".sealed AS " + schema() + ".octets");
    run("CREATE TABLE " + table()
        + " (id bigserial PRIMARY KEY, \"group\" text, priority int, "
          "retry_after timestamptz, attempt int, locked_until timestamptz, "
          "headers jsonb, payload "
        + schema() + ".sealed)");
    producer.emplace(url());
  }

  std::string table() const { return schema() + ".jobs"; }

  subscription queue() const {
    using role = column_role;
    auto spec = test::jobs_spec(
      {role::id, role::group, role::priority, role::retry_after, role::attempt,
       role::locked_until, role::headers, role::payload});
    spec.schema = schema();
    return test::serving(std::move(spec));
  }

  static std::vector<new_row> numbered(std::size_t count) {
    std::vector<new_row> rows(count);
    for (std::size_t i = 0; i < count; ++i)
      rows[i].payload = std::to_string(i);
    return rows;
  }

  std::int64_t rows() { return count("SELECT count(*) FROM " + table()); }

  std::optional<pqxx::connection> producer;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_enqueue_tests, enqueue_fixture)

CAF_TEST(a row is written as a session of the library writes it) {
  if (is_skipped())
    return;
  std::string octets;
  for (int o = 0; o < 256; ++o)
    octets += static_cast<char>(o);
  const new_row row{.payload = octets,
                    .headers = {{"lang", "\"en\\'"}},
                    .delay = 1h,
                    .priority = -5,
                    .group = "o'hara"};
  pqxx::work tx{*producer};
  unbox(postgres::enqueue(tx, queue(), row, now));
  tx.commit();
  const auto seen = run(
    "SELECT payload, headers, retry_after, priority, \"group\", attempt, "
    "locked_until FROM "
    + table());
  CAF_REQUIRE_EQUAL(seen->size(), 1u);
  CAF_CHECK(seen->at(0, 0) == value_view::bytes(octets));
  CAF_CHECK_EQUAL(seen->at(0, 1).to_display(), "{\"lang\": \"\\\"en\\\\'\"}");
  CAF_CHECK(seen->at(0, 2).as_time() == now + 1h);
  CAF_CHECK(seen->at(0, 3).as_integer() == -5);
  CAF_CHECK_EQUAL(seen->at(0, 4).to_display(), "o'hara");
  CAF_CHECK(seen->at(0, 5).as_integer() == 1);
  CAF_CHECK(seen->at(0, 6).is_null());
}

CAF_TEST(ids come in the order of the rows whatever their number) {
  if (is_skipped())
    return;
  const auto many = numbered(12'345); // 86,415 values
  pqxx::work tx{*producer};
  const auto ids = unbox(postgres::enqueue_many(tx, queue(), many, now));
  tx.commit();
  CAF_REQUIRE_EQUAL(ids.size(), many.size());
  const auto seen = run("SELECT id, payload FROM " + table() + " ORDER BY id");
  CAF_REQUIRE_EQUAL(seen->size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    CAF_REQUIRE(ids[i] == value::copy_of(seen->at(i, 0)));
    CAF_REQUIRE(seen->at(i, 1).as_octets() == many[i].payload);
  }
}

CAF_TEST(described structs are rows of their own table) {
  if (is_skipped())
    return;
  producer->set_variable("search_path", schema());
  std::vector<shop::mail> some(1200, {0, "emails", "\\a"});
  some[1100].group = "fax";
  pqxx::work tx{*producer};
  const auto first = unbox(postgres::enqueue(tx, some[1100]));
  const auto ids = unbox(postgres::enqueue_many(tx, some));
  tx.commit();
  CAF_CHECK(first == value{1});
  CAF_REQUIRE_EQUAL(ids.size(), 1200u);
  CAF_CHECK(ids[1100] == value{1102});
  CAF_CHECK_EQUAL(
    one("SELECT string_agg(id || ' ' || encode(payload, 'escape'), ',' ORDER "
        "BY id) FROM "
        + table() + " WHERE \"group\" = 'fax'"),
    "1 \\\\a,1102 \\\\a");
}

CAF_TEST(ids of the producers own come back in its order) {
  if (is_skipped())
    return;
  producer->set_variable("search_path", schema());
  const std::vector<shop::receipt> some{
    {{70, "emails", "a"}}, {{-4, "emails", "b"}}, {{12, "emails", "c"}}};
  pqxx::work tx{*producer};
  const auto ids = unbox(postgres::enqueue_many(tx, some));
  CAF_CHECK((ids == std::vector<value>{value{70}, value{-4}, value{12}}));
  CAF_CHECK(refusal(postgres::enqueue_many(tx, some)).code()
            == errc::constraint);
  tx.commit();
  CAF_CHECK_EQUAL(rows(), 3);
}

CAF_TEST(rows of a MiB each come whole) {
  if (is_skipped())
    return;
  std::vector<new_row> rows(20);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].payload = std::string(1 << 20, static_cast<char>(240 + i));
  pqxx::work tx{*producer};
  const auto ids = unbox(postgres::enqueue_many(tx, queue(), rows, now));
  tx.commit();
  const auto seen = run("SELECT id, payload FROM " + table() + " ORDER BY id");
  CAF_REQUIRE_EQUAL(seen->size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAF_CHECK(ids[i] == value::copy_of(seen->at(i, 0)));
    CAF_CHECK(seen->at(i, 1).as_octets() == rows[i].payload);
  }
}

CAF_TEST(one row that is refused fails the transaction) {
  if (is_skipped())
    return;
  run("CREATE UNIQUE INDEX ON " + table() + " (payload)");
  pqxx::work tx{*producer};
  unbox(postgres::enqueue(tx, queue(), {.payload = "a"}, now));
  const auto why = refusal(
    postgres::enqueue(tx, queue(), {.payload = "a"}, now));
  CAF_CHECK(why.code() == errc::constraint);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
  CAF_CHECK_EQUAL(
    refusal(postgres::enqueue(tx, queue(), {.payload = "b"}, now)).native(),
    "25P02");
  tx.abort();
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(no rows are no statement) {
  if (is_skipped())
    return;
  pqxx::work tx{*producer};
  CAF_CHECK(test::throws<pqxx::sql_error>([&] { tx.exec("SELECT 1 / 0"); }));
  CAF_CHECK(unbox(postgres::enqueue_many(tx, queue(), {}, now)).empty());
}

CAF_TEST(a refused row in the middle takes all of them back and no more) {
  if (is_skipped())
    return;
  run("CREATE UNIQUE INDEX ON " + table() + " (payload)");
  auto many = numbered(2500);
  many[1700].payload = "3";
  pqxx::work tx{*producer};
  tx.exec("INSERT INTO " + table() + " (payload) VALUES ('own')");
  const auto why = refusal(postgres::enqueue_many(tx, queue(), many, now));
  CAF_CHECK(why.code() == errc::constraint);
  CAF_CHECK_EQUAL(why.subscription(), "emails");
  CAF_CHECK_EQUAL(why.native(), "23505");
  CAF_CHECK(why.message().find('\n') == std::string::npos);
  // One that is refused before the server sees it, after others were sent.
  many = numbered(1700);
  many.push_back({.partition_key = "ada"});
  CAF_CHECK(refusal(postgres::enqueue_many(tx, queue(), many, now)).code()
            == errc::missing_role);
  const auto ids = unbox(postgres::enqueue_many(tx, queue(), numbered(2), now));
  CAF_CHECK_EQUAL(ids.size(), 2u);
  tx.commit();
  CAF_CHECK_EQUAL(rows(), 3);
}

CAF_TEST(the rows go with the transaction they came in) {
  if (is_skipped())
    return;
  {
    pqxx::work tx{*producer};
    unbox(postgres::enqueue_many(tx, queue(), numbered(1500), now));
    tx.abort();
  }
  {
    pqxx::work tx{*producer};
    unbox(postgres::enqueue_many(tx, queue(), numbered(3), now));
  }
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(without a transaction nothing is written) {
  if (is_skipped())
    return;
  pqxx::nontransaction tx{*producer};
  const auto why = refusal(
    postgres::enqueue_many(tx, queue(), numbered(3), now));
  CAF_MESSAGE(why.to_string());
  CAF_CHECK_EQUAL(why.native(), "25P01");
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(octets that are no text are refused by a column of text) {
  if (is_skipped())
    return;
  run("ALTER TABLE " + table() + " ALTER payload TYPE text USING ''");
  pqxx::work tx{*producer};
  auto some = numbered(2);
  unbox(postgres::enqueue_many(tx, queue(), some, now));
  some[1].payload = std::string{"a\0b", 3};
  const auto why = refusal(postgres::enqueue_many(tx, queue(), some, now));
  CAF_CHECK(why.code() == errc::wrong_type);
  CAF_CHECK(why.message().find("\"payload\"") != std::string::npos);
  tx.commit();
  CAF_CHECK_EQUAL(
    one("SELECT string_agg(payload, ',' ORDER BY id) FROM " + table()), "0,1");
}

CAF_TEST(a lost session is said and leaves nothing) {
  if (is_skipped())
    return;
  pqxx::work tx{*producer};
  unbox(postgres::enqueue_many(tx, queue(), numbered(3), now));
  run("SELECT pg_terminate_backend(" + std::to_string(producer->backendpid())
      + ", 5000)");
  const auto why = refusal(
    postgres::enqueue_many(tx, queue(), numbered(3), now));
  CAF_MESSAGE(why.to_string());
  CAF_CHECK(why.code() == errc::connection_lost);
  CAF_CHECK_EQUAL(rows(), 0);
}

CAF_TEST(a table that is missing is named) {
  if (is_skipped())
    return;
  run("DROP TABLE " + table());
  pqxx::work tx{*producer};
  const auto why = refusal(
    postgres::enqueue_many(tx, queue(), numbered(1), now));
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK_EQUAL(why.table(), table());
}

CAF_TEST_FIXTURE_SCOPE_END()
