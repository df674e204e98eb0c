#pragma once

// A queue on the test server, for the tests of its sessions. Included after
// CAF_SUITE is named.

#include "inbox/test/postgres.hpp"

namespace inbox::test {

/// The queue "emails" on a table `jobs` of the usual columns, as the lease or
/// the row lock form serves it; with a dead letter where attempts are counted.
inline subscription jobs_of(const std::string& schema, bool leased,
                            bool counts = true) {
  std::vector<table_column> columns{
    {"id", column_role::id, true, column_type::integer},
    {"name", column_role::group, false, column_type::text},
    {"retry_after", column_role::retry_after, true, column_type::time}};
  if (counts)
    columns.push_back(
      {"attempt", column_role::attempt, true, column_type::integer});
  if (leased)
    columns.push_back(
      {"locked_until", column_role::locked_until, true, column_type::time});
  columns.push_back(
    {"payload", column_role::payload, false, column_type::bytes});
  table_spec spec;
  spec.schema = schema;
  spec.name = "jobs";
  spec.columns = std::move(columns);
  subscription s{"emails", unbox(table::make(std::move(spec))), {}};
  s.settings.max_attempts = counts ? std::optional{5u} : std::nullopt;
  if (counts)
    s.settings.dead_letter = "emails.dead";
  return s;
}

/// That queue in the test's own schema, and what a session is asked for it.
struct jobs_fixture : postgres_fixture {
  /// Serves the queue that way from now on.
  void serve(subscription how) {
    statements = unbox(postgres::dialect{}.build(how));
  }
  void serve_leases() { serve(jobs_of(schema(), true)); }
  void serve_locks(bool counts = true) {
    serve(jobs_of(schema(), false, counts));
  }

  /// Creates the table as it is served.
  void create() { run(unbox(postgres::dialect{}.ddl(statements->of()))); }

  /// Rows with the payloads "p0", "p1" and so on.
  void enqueue(int n) {
    for (int i = 0; i < n; ++i)
      run("INSERT INTO " + table + " (name, payload) VALUES ($1, $2)",
          {"emails", value::bytes("p" + std::to_string(i))});
  }

  /// Runs before each row is deleted, as PL/pgSQL that may refuse it; with
  /// "CONSTRAINT" for `kind` at the commit.
  void before_deletes(const std::string& body, const std::string& kind = "") {
    refuse(body, "OLD",
           kind + " TRIGGER refuse "
             + (kind.empty() ? "BEFORE DELETE ON " + table
                             : "AFTER DELETE ON " + table
                                 + " DEFERRABLE INITIALLY DEFERRED"));
  }

  /// Runs before a claim or an extension writes a row.
  void before_leases(const std::string& body) {
    refuse(body, "NEW",
           "TRIGGER refuse BEFORE UPDATE OF locked_until ON " + table);
  }

  void refuse(const std::string& body, const std::string& row,
              const std::string& trigger) {
    run("CREATE FUNCTION " + schema()
        + ".refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body
        + " RETURN " + row + "; END $$; CREATE " + trigger
        + " FOR EACH ROW EXECUTE FUNCTION " + schema() + ".refuse()");
  }

  /// A trip that claims so many rows.
  trip ask(std::uint32_t limit = 1) {
    trip t;
    t.statements = statements;
    t.claim = claim_order{++orders, limit};
    return t;
  }

  claimed_rows claim(postgres::connection& on, std::uint32_t limit = 1) {
    auto result = on.run(ask(limit), unbox(db().clock()));
    CAF_REQUIRE(result.claim.has_value());
    return unbox(std::move(*result.claim));
  }

  /// The end of a claim's row.
  settlement end(const claimed_rows& of, std::size_t row, event what,
                 duration delay = {}) {
    settlement s{
      what, ++deliveries, value::copy_of(of.rows->at(row, 0)), {}, delay};
    if (of.locked_until)
      s.held = token{*of.locked_until, *of.rows->at(row, 3).as_integer() + 1};
    return s;
  }

  trip_result settle(postgres::connection& on, std::vector<settlement> ends) {
    trip t;
    t.statements = statements;
    t.settlements = std::move(ends);
    return on.run(t, unbox(db().clock()));
  }

  shared_statements statements;
  std::string table = schema() + ".jobs";
  std::uint64_t orders = 0;
  delivery_number deliveries = 0;
};

} // namespace inbox::test
