// Writes dialects/STATEMENTS.md to standard output: every statement of two
// sample tables, for each database and form. A test compares the two.

#include <array>
#include <iostream>
#include <string_view>

#include "inbox/postgres/dialect.hpp"
#include "inbox/sqlite/dialect.hpp"

using namespace inbox;

namespace {

using role = column_role;

constexpr std::string_view introduction = R"(# Statements

Every text the library runs for two sample tables, for each database and form.
Written by `tests/checks/statements_document.cpp`; a test compares. White space
is added here; `inboxctl statements` prints the texts of your own tables. The
list under a statement says what its placeholders stand for, in order.

What is odd, and why:

* **A claim's locking select is an array.** Postgres evaluates it once whatever
  the plan, so that a claim of n never takes more than n rows. Rows are found
  again by `ctid`, which needs no second search of an index.
* **A claim with due times has two parts.** A NULL due time is due, and comes
  first. `retry_after IS NULL OR retry_after <= now` bounds no index, so that
  each poll would read every delayed row. Both parts walk the advised index,
  and the second runs only for what the first leaves over.
* **With a priority the order interleaves the two parts,** so there is one
  condition. A poll then passes over the delayed rows of each priority, and on
  Postgres a NULL due time is taken last within its priority.
* **The limit is a literal on Postgres.** A bound limit is planned anew at each
  run. There is a text for each of 1, 2, 5, 10, 20, 50 and so on.
* **The attempt stops at its type's maximum.** A claim that failed there would
  stop the queue. A claim reports one less than it stores.
* **A settlement names the lease end and the attempt it holds.** A late holder
  changes nothing. A lease end can repeat within one second, the pair cannot.
* **SQLite claims by a SELECT and one `stamp` for each row,** in one BEGIN
  IMMEDIATE: for one row 3.8 times faster than UPDATE .. IN (SELECT ..).
* **SQLite has no time type.** The plain claim compares texts of the form that
  SQLite and this library write; a table that holds other forms gets the exact
  claim, which compares by the date functions behind a bound on the date.
)";

table_spec emails(bool leased) {
  table_spec spec;
  spec.name = "email_jobs";
  spec.columns = {{"job_id", role::id, true},
                  {"name", role::group},
                  {"retry_after", role::retry_after, true},
                  {"attempt", role::attempt, true},
                  {"headers", role::headers},
                  {"body", role::payload}};
  if (leased)
    spec.columns.push_back({"locked_until", role::locked_until});
  return spec;
}

table_spec reports(bool leased) {
  table_spec spec;
  spec.schema = "main";
  spec.name = "reports";
  spec.columns = {{"report_id", role::id, true},   {"urgency", role::priority},
                  {"due", role::retry_after},      {"tries", role::attempt},
                  {"done_at", role::processed_at}, {"title", role::data}};
  if (leased)
    spec.columns.push_back({"held_until", role::locked_until});
  return spec;
}

subscription serving(std::string name, table_spec spec, std::string dead) {
  subscription s{std::move(name), table::make(std::move(spec)).value(), {}};
  s.settings.max_attempts = 5;
  s.settings.dead_letter = std::move(dead);
  return s;
}

/// A clause begins a line.
bool begins_clause(std::string_view rest) {
  constexpr std::array clauses{
    " FROM ",   " WHERE ",  " ORDER BY ", " UNION ALL ", " RETURNING ",
    " SET ",    " VALUES ", " LIMIT ",    " FOR UPDATE", " INSERT ",
    " SELECT ", " WHEN \"", " WHEN `",    " ELSE \"",    " ELSE `"};
  for (const std::string_view clause : clauses)
    if (rest.starts_with(clause))
      return true;
  return false;
}

/// The end of the part that starts at `at` and is not broken.
std::size_t end_of_part(std::string_view sql, std::size_t at) {
  for (auto i = at + 1; i < sql.size(); ++i)
    if (begins_clause(sql.substr(i)) && !sql.substr(0, i).ends_with("DELETE"))
      return i;
  return sql.size();
}

/// Clauses on lines of their own, indented by how deep they stand.
void print_sql(std::string_view sql) {
  std::cout << "\n```sql\n";
  int depth = 0;
  for (std::size_t at = 0; at < sql.size();) {
    const auto end = end_of_part(sql, at);
    auto part = sql.substr(at, end - at);
    if (part.starts_with(' '))
      part.remove_prefix(1);
    std::cout << std::string(static_cast<std::size_t>(2 * depth), ' ') << part
              << "\n";
    for (const auto c : part)
      depth += (c == '(') - (c == ')');
    at = end;
  }
  std::cout << "```\n";
}

void print(std::string_view title, const statement& s) {
  std::cout << "\n**" << title << "**\n";
  print_sql(s.text);
  if (s.params.empty())
    return;
  std::string_view separator = "\nbinds ";
  for (const auto& p : s.params) {
    std::cout << separator << to_string(p.what);
    if (p.what == param::meaning::value)
      std::cout << " of column " << p.column;
    separator = ", ";
  }
  std::cout << "\n";
}

void print_claims(const statement_set& all) {
  const auto& claim = all.claim(10);
  print(claim.limit == 0 ? "claim" : "claim of " + std::to_string(claim.limit),
        claim.text);
  if (claim.marked)
    print("the same from a mark on", *claim.marked);
}

void print_all(std::string_view title, const dialect& speaks,
               const subscription& s) {
  const auto all = speaks.build(s).value();
  std::cout << "\n## " << title << "\n\n```sql\n"
            << speaks.ddl(s).value() << "```\n";
  print_claims(*all);
  for (std::uint8_t e = 0; e < event_count; ++e)
    for (const auto& text : all->at(static_cast<event>(e)))
      print(to_string(static_cast<event>(e)), text);
}

void print_exact(const subscription& s) {
  const sqlite::dialect exact{sqlite::time_shape::exact};
  std::cout << "\n## SQLite, times of other forms\n";
  print_claims(*exact.build(s).value());
  print("finds times that cannot be read",
        *exact.find_unreadable_time(s.description));
}

subscription on_database_clock(table_spec spec) {
  spec.clock = clock_kind::database;
  return serving("reports", std::move(spec), "main.dead_reports");
}

} // namespace

int main() {
  std::cout << introduction;
  const postgres::dialect postgres;
  const sqlite::dialect sqlite;
  const auto leased = serving("emails", emails(true), "emails.dead");
  const auto leased_reports = serving("reports", reports(true),
                                      "main.dead_reports");
  print_all("Postgres, lease form, dead letter to a group", postgres, leased);
  print_all("Postgres, lease form, priority, dead letter to a table", postgres,
            leased_reports);
  print_all("Postgres, row lock form", postgres,
            serving("emails", emails(false), "emails.dead"));
  print_all("Postgres, row lock form, the database's clock", postgres,
            on_database_clock(reports(false)));
  print_all("SQLite, lease form, dead letter to a group", sqlite, leased);
  print_all("SQLite, lease form, priority, dead letter to a table", sqlite,
            leased_reports);
  print_exact(leased);
}
