#define CAF_SUITE describe
#include "inbox/test/unit.hpp"

#include <optional>

#include "inbox/describe.hpp"
#include "inbox/settings.hpp"

using namespace inbox;
using test::unbox;

namespace mailer {

/// Every role and a member that is no column.
struct email {
  std::string subject;
  std::int64_t job_id = 0;
  std::string name;
  std::optional<std::string> customer;
  std::int32_t urgency = 0;
  std::optional<time_point> due;
  std::uint16_t tries = 0;
  std::optional<time_point> until;
  std::optional<time_point> done;
  header_map meta;
  std::vector<std::byte> body;
  int scratch = 7;
};

consteval auto inbox_table(std::type_identity<email>) {
  using namespace inbox::role;
  return inbox::describe<email, "app.email_jobs">(
    data<&email::subject>(), payload<&email::body>(), headers<&email::meta>(),
    processed_at<&email::done>(), locked_until<&email::until>(),
    attempt<&email::tries>(generated), retry_after<&email::due>(),
    priority<&email::urgency>(), partition_key<&email::customer>(),
    group<&email::name>(fifo), id<&email::job_id>(generated));
}

/// Names of its own, a column without a member, and the advisory form.
struct note {
  std::int64_t number = 0;
  std::string about;
};

consteval auto inbox_table(std::type_identity<note>) {
  using namespace inbox::role;
  return inbox::describe<note, "notes">(
    id<&note::number, "note_id">(), data<&note::about, "to whom">(),
    group<"name">(generated), lock_key<"n-{number}-{name}">(), database_clock,
    opens<opening::immediate>());
}

/// Nothing an insert could write.
struct bare {
  std::string key;
};

consteval auto inbox_table(std::type_identity<bare>) {
  using namespace inbox::role;
  return inbox::describe<bare, "bare">(id<&bare::key>(generated));
}

} // namespace mailer

namespace {

table_spec email_by_hand() {
  using enum column_role;
  table_spec spec;
  spec.schema = "app";
  spec.name = "email_jobs";
  spec.fifo = true;
  spec.columns = {
    {"job_id", id, true},        {"name", group},
    {"customer", partition_key}, {"urgency", priority},
    {"due", retry_after},        {"tries", attempt, true},
    {"until", locked_until},     {"done", processed_at},
    {"meta", headers},           {"body", payload},
    {"subject", data},
  };
  return spec;
}

constexpr std::string_view email_in_toml = R"([queue.q]
table = "app.email_jobs"
data = ["subject"]
[queue.q.columns]
payload = "body"
id = "job_id"
group = "name"
fifo = true
partition_key = "customer"
priority = "urgency"
retry_after = "due"
attempt = "tries"
locked_until = "until"
processed_at = "done"
headers = "meta"
generated = ["tries", "job_id"]
)";

} // namespace

static_assert(is_described_v<mailer::email>);
static_assert(!is_described_v<std::string>);
static_assert(!is_described_v<int>);

CAF_TEST(C-001 C-007 a struct and a file and a hand describe equal tables) {
  const auto derived = unbox(to_table<mailer::email>());
  CAF_CHECK(derived == unbox(table::make(email_by_hand())));
  const auto file = unbox(parse_configuration(email_in_toml, "q.toml"));
  CAF_CHECK(derived == file.queues.at(0).queue.description);
}

CAF_TEST(a struct tells what its columns hold) {
  const auto t = unbox(to_table<mailer::email>());
  std::string types;
  for (const auto& c : t.columns())
    types.append(to_string(c.type)).append(" ");
  CAF_CHECK_EQUAL(types,
                  "integer text text integer time integer time time json "
                  "bytes text ");
}

CAF_TEST(C-016 a lock key names members and the table their columns) {
  const auto t = unbox(to_table<mailer::note>());
  CAF_CHECK(t.kind() == form::advisory);
  CAF_CHECK(t.clock() == clock_kind::database);
  CAF_CHECK(t.opens() == opening::immediate);
  std::string key;
  for (const auto& part : t.lock_key())
    key += part.text + "|";
  CAF_CHECK_EQUAL(key, "n-|note_id|-|name|");
  CAF_CHECK_EQUAL(t.columns()[2].name, "to whom");
  CAF_CHECK(t.columns()[1].type == column_type::unknown);
}

static_assert(insert_sql<mailer::email, postgres_db>
              == R"(INSERT INTO "app"."email_jobs" ("name", "customer", )"
                 R"("urgency", "due", "until", "done", "meta", "body", )"
                 R"("subject") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) )"
                 R"(RETURNING "job_id")");
static_assert(insert_sql<mailer::note, sqlite_db>
              == "INSERT INTO `notes` (`note_id`, `to whom`) VALUES (?, ?) "
                 "RETURNING `note_id`");
static_assert(
  insert_sql<
    mailer::bare,
    postgres_db> == R"(INSERT INTO "bare" DEFAULT VALUES RETURNING "key")");
static_assert(insert_sql<mailer::bare, sqlite_db>.data()
                [insert_sql<mailer::bare, sqlite_db>.size()]
              == '\0');

CAF_TEST(C-021 C-093 an insert takes every value the database does not make) {
  mailer::email e;
  e.name = "emails";
  e.customer = "c";
  e.urgency = -3;
  e.due = time_point{5s};
  e.meta = {{"k", "v"}};
  e.body = {std::byte{0}, std::byte{0xff}};
  e.subject = "hello";
  const auto values = unbox(insert_values(e));
  const std::vector<value> wanted{"emails",
                                  "c",
                                  -3,
                                  time_point{5s},
                                  {},
                                  {},
                                  value::json(R"({"k":"v"})"),
                                  value::bytes(std::string{"\0\xff", 2}),
                                  "hello"};
  CAF_REQUIRE_EQUAL(values.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CAF_CHECK_EQUAL(values[i].view().to_display(),
                    wanted[i].view().to_display());
  CAF_CHECK(values == wanted);
  CAF_CHECK_EQUAL(unbox(insert_values(mailer::note{4, "x"})).size(), 2u);
  CAF_CHECK(unbox(insert_values(mailer::bare{})).empty());
}
