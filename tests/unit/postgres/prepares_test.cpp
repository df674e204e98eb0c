#define CAF_SUITE postgres_prepares
#include "inbox/test/server.hpp"
#include "inbox/test/statements.hpp"

#include <libpq-fe.h>

#include <memory>

#include "inbox/postgres/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;
using result = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// A connection to the test server. Its tables are temporary: found before any
/// others and gone with it.
class server {
public:
  explicit server(const std::string& url)
    : link_{PQconnectdb(url.c_str()), PQfinish} {
    if (PQstatus(link_.get()) != CONNECTION_OK)
      CAF_FAIL(PQerrorMessage(link_.get()));
    run("SET client_min_messages = warning; SET TimeZone = 'UTC'");
  }

  result run(const std::string& text) {
    result r{PQexec(link_.get(), text.c_str()), PQclear};
    const auto status = PQresultStatus(r.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      CAF_FAIL(text + "\n" + PQresultErrorMessage(r.get()));
    return r;
  }

  /// The server's word on one statement; empty when it prepares.
  std::string prepare(const statement& s) {
    const result r{PQprepare(link_.get(), "", s.text.c_str(), 0, nullptr),
                   PQclear};
    return PQresultStatus(r.get()) == PGRES_COMMAND_OK
             ? ""
             : s.text + "\n" + PQresultErrorMessage(r.get());
  }

  /// The values of one run, "NULL" for none, rows separated by semicolons.
  std::string ask(const statement& s, const std::vector<std::string>& values) {
    std::vector<const char*> raw;
    for (const auto& v : values)
      raw.push_back(v.c_str());
    const result r{PQexecParams(link_.get(), s.text.c_str(),
                                static_cast<int>(raw.size()), nullptr,
                                raw.data(), nullptr, nullptr, 0),
                   PQclear};
    if (PQresultStatus(r.get()) != PGRES_TUPLES_OK
        && PQresultStatus(r.get()) != PGRES_COMMAND_OK)
      CAF_FAIL(s.text + "\n" + PQresultErrorMessage(r.get()));
    std::string seen;
    for (int row = 0; row < PQntuples(r.get()); ++row) {
      seen += row ? "; " : "";
      for (int c = 0; c < PQnfields(r.get()); ++c)
        seen += (c ? " " : "")
                + std::string{PQgetisnull(r.get(), row, c)
                                ? "NULL"
                                : PQgetvalue(r.get(), row, c)};
    }
    return seen;
  }

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> link_;
};

/// The table of a description, with these types for id and attempt.
void create(server& db, const std::string& name, const std::string& id,
            const std::string& attempt) {
  db.run("DROP TABLE IF EXISTS pg_temp." + name + "; CREATE TEMP TABLE " + name
         + " (id " + id
         + " PRIMARY KEY, \"group\" text, priority int,"
           " retry_after timestamptz, attempt "
         + attempt
         + ", locked_until timestamptz, processed_at timestamptz,"
           " headers jsonb, payload bytea)");
}

const std::initializer_list<role> shapes[] = {
  {role::id},
  {role::id, role::locked_until},
  {role::id, role::attempt, role::payload},
  {role::id, role::attempt, role::locked_until, role::payload},
  {role::id, role::group, role::retry_after, role::attempt, role::payload},
  {role::id, role::group, role::retry_after, role::attempt, role::locked_until,
   role::processed_at, role::headers, role::payload},
  {role::id, role::group, role::priority, role::retry_after, role::attempt},
  {role::id, role::group, role::priority, role::retry_after, role::attempt,
   role::locked_until, role::processed_at},
};

std::vector<subscription> every_shape() {
  std::vector<subscription> all;
  for (const auto& roles : shapes) {
    auto s = jobs(roles);
    if (s.description.has(role::attempt))
      s = with_dead_letter(s, "dead");
    all.push_back(s);
    if (s.description.kind() != form::row_lock)
      continue;
    auto spec = jobs_spec(roles);
    spec.clock = clock_kind::database;
    all.push_back({"emails", unbox(table::make(spec)), s.settings});
  }
  return all;
}

/// A lease table with rows (id, retry_after, attempt).
subscription leased(server& db, const std::string& rows) {
  create(db, "jobs", "bigint", "smallint");
  db.run("INSERT INTO jobs (id, \"group\", retry_after, attempt) VALUES "
         + rows);
  return jobs({role::id, role::group, role::retry_after, role::attempt,
               role::locked_until});
}

const std::string now = "2026-01-02 00:00:00Z";
const std::string token = "2026-01-02 00:00:30Z";

std::vector<std::string> claim_values() {
  return {token, "emails", now, "emails", now, now};
}

} // namespace

CAF_TEST(every statement prepares for every type of id) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  const postgres::dialect speaks;
  for (const auto* id :
       {"bigint", "int", "smallint", "text", "varchar(40)", "bytea", "uuid"})
    for (const auto* attempt : {"smallint", "int", "bigint"}) {
      create(db, "jobs", id, attempt);
      create(db, "dead", id, attempt);
      for (const auto& s : every_shape()) {
        const auto built = unbox(speaks.build(s));
        for (const auto& c : built->claims())
          CAF_CHECK_EQUAL(db.prepare(c.text), "");
        for (std::uint8_t e = 0; e < event_count; ++e)
          for (const auto& text : built->at(static_cast<event>(e)))
            CAF_CHECK_EQUAL(db.prepare(text), "");
      }
    }
}

CAF_TEST(a claim answers rows as they were and in claim order) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  const auto s = leased(db, "(1,'emails','2026-01-01 02:00Z',1),"
                            "(2,'emails','2026-01-01 01:00Z',3),"
                            "(3,'emails',NULL,1),(4,NULL,NULL,1),"
                            "(5,'emails','2026-01-03 00:00Z',1),"
                            "(6,'emails','2026-01-01 01:00Z',NULL)");
  const auto built = unbox(postgres::dialect{}.build(s));
  CAF_CHECK_EQUAL(db.ask(built->claim(2).text, claim_values()),
                  "3 emails NULL 1 NULL; "
                  "2 emails 2026-01-01 01:00:00+00 3 NULL");
  CAF_CHECK_EQUAL(db.ask(built->claim(5).text, claim_values()),
                  "6 emails 2026-01-01 01:00:00+00 1 NULL; "
                  "1 emails 2026-01-01 02:00:00+00 1 NULL");
  CAF_CHECK_EQUAL(db.ask(built->claim(5).text, claim_values()), "");
}

CAF_TEST(an attempt at the end of its type stays there) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  const auto s = leased(db, "(1,'emails',NULL,32767)");
  const auto built = unbox(postgres::dialect{}.build(s));
  CAF_CHECK_EQUAL(db.ask(built->claim(1).text, claim_values()),
                  "1 emails NULL 32766 NULL");
  CAF_CHECK_EQUAL(db.ask({"SELECT attempt FROM jobs", {}}, {}), "32767");
}

CAF_TEST(a table with partitions or children is found) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  const postgres::dialect speaks;
  const auto children = [&] {
    const auto s = jobs({role::id, role::locked_until});
    return db.ask({speaks.find_children(s.description), {}}, {});
  };
  create(db, "jobs", "bigint", "int");
  CAF_CHECK_EQUAL(children(), "");
  db.run("CREATE TEMP TABLE child () INHERITS (jobs)");
  CAF_CHECK_EQUAL(children(), "1");
  db.run("DROP TABLE child; DROP TABLE jobs");
  db.run("CREATE TEMP TABLE jobs (id int, locked_until timestamptz)"
         " PARTITION BY LIST (id)");
  CAF_CHECK_EQUAL(children(), "1");
}

CAF_TEST(a late holder changes nothing (C-154)) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  const auto s = leased(db, "(1,'emails',NULL,1),(2,'emails',NULL,1)");
  const auto built = unbox(postgres::dialect{}.build(s));
  db.ask(built->claim(2).text, claim_values());
  const auto& ack = built->at(event::ack).front();
  CAF_CHECK_EQUAL(db.ask(ack, {"{1,2}", token, "1"}), "");
  CAF_CHECK_EQUAL(db.ask(ack, {"{1,2}", now, "2"}), "");
  CAF_CHECK_EQUAL(db.ask(ack, {"{1}", token, "2"}), "1");
  const auto& unclaim = built->at(event::unclaim).front();
  CAF_CHECK_EQUAL(db.ask(unclaim, {"{1,2}", token, "2"}), "2");
  CAF_CHECK_EQUAL(
    db.ask({"SELECT id, attempt, locked_until FROM jobs", {}}, {}), "2 1 NULL");
}

CAF_TEST(a claim never takes more than its limit with stale statistics (B01)) {
  const auto url = postgres_url();
  if (!url)
    return;
  server db{*url};
  create(db, "jobs", "bigint", "int");
  db.run("ANALYZE jobs; INSERT INTO jobs (id, \"group\", retry_after, attempt)"
         " SELECT n, 'emails', CASE WHEN n % 2 = 0 THEN NULL ELSE"
         " timestamptz '2026-01-01 00:00Z' END, 1"
         " FROM generate_series(1, 5000) n");
  const auto s = jobs({role::id, role::group, role::retry_after, role::attempt,
                       role::locked_until});
  const auto built = unbox(postgres::dialect{}.build(s));
  const statement leased{"SELECT count(*) FROM jobs WHERE attempt = 2", {}};
  for (int claimed = 5; claimed <= 1000; claimed += 5) {
    db.ask(built->claim(5).text, claim_values());
    if (db.ask(leased, {}) != std::to_string(claimed))
      CAF_FAIL("a claim of 5 took another number");
  }
}
