#define CAF_SUITE settings
#include "inbox/test/unit.hpp"

#include "inbox/settings.hpp"

using namespace inbox;
using test::unbox;

namespace {

std::optional<std::string> variable(const std::string& name) {
  if (name == "SECRET")
    return "s3cret";
  return std::nullopt;
}

expected<configuration> parse(std::string_view text) {
  return parse_configuration(text, "jobs.toml", variable);
}

/// A queue with these lines, and these columns beside the id.
std::string queue(const std::string& lines, const std::string& columns = "") {
  return "[queue.q]\ntable = \"jobs\"\n" + lines
         + "\n[queue.q.columns]\nid = \"id\"\n" + columns;
}

const auto payload = std::string{"payload = \"body\"\n"};

queue_settings parsed(const std::string& text) {
  return unbox(parse(text)).queues.at(0);
}

std::string names(const table& t) {
  std::string all;
  for (const auto& c : t.columns())
    all += c.name + (c.generated ? "* " : " ");
  return all;
}

} // namespace

CAF_TEST(every key is read) {
  const auto c = unbox(parse(R"([database]
url = "postgres://app:${SECRET}@/db"
pool = 3
listen_notify = true
wal = true
[queue."emails.out"]
table = "app.email_jobs"
group = "emails"
clock = "host"
isolation = "serializable"
workers = 4
batch = 2
prefetch = 7
timeout = "5m"
poll_interval = "250ms"
lease = "10s"
max_attempts = 5
dead_letter = "emails.dead"
on_decode_failure = "retry_after:10m"
on_failure = "retry"
backoff = { first = "2s", factor = 3, cap = "1h", jitter = 0.5 }
drain_timeout = "0s"
exec = ["./send", "--fast"]
data = ["subject"]
[queue."emails.out".columns]
id = "job_id"
group = "name"
fifo = true
priority = "urgency"
partition_key = "customer"
retry_after = "due"
attempt = "tries"
locked_until = "until"
processed_at = "done"
headers = "meta"
payload = "body"
generated = ["job_id", "tries"]
[queue.second]
table = "other"
[queue.second.columns]
id = "id"
payload = "p"
)"));
  CAF_CHECK_EQUAL(c.database.url, "postgres://app:s3cret@/db");
  CAF_CHECK_EQUAL(c.database.pool, 3u);
  CAF_CHECK(c.database.listen_notify);
  CAF_CHECK(c.database.wal);
  CAF_CHECK_EQUAL(c.database.where, "jobs.toml:2");
  CAF_REQUIRE_EQUAL(c.queues.size(), 2u);
  CAF_CHECK_EQUAL(c.queues[1].queue.name, "second");
  CAF_CHECK(c.find("third") == nullptr);
  const auto* q = c.find("emails.out");
  CAF_REQUIRE(q != nullptr);
  CAF_CHECK_EQUAL(q->where, "jobs.toml:6");
  CAF_CHECK(q->exec == (std::vector<std::string>{"./send", "--fast"}));
  CAF_CHECK(!q->all_columns);
  const auto& t = q->queue.description;
  CAF_CHECK_EQUAL(t.name().qualified(), "app.email_jobs");
  CAF_CHECK_EQUAL(names(t), "job_id* name customer urgency due tries* until "
                            "done meta body subject ");
  CAF_CHECK(t.is_fifo());
  CAF_CHECK(t.opens() == opening::serializable);
  const auto& how = q->queue.settings;
  CAF_CHECK_EQUAL(q->queue.group(), "emails");
  CAF_CHECK_EQUAL(how.workers, 4u);
  CAF_CHECK_EQUAL(how.batch, 2u);
  CAF_CHECK_EQUAL(how.prefetch, 7u);
  CAF_CHECK(how.timeout == 5min);
  CAF_CHECK(how.poll_interval == 250ms);
  CAF_CHECK(how.lease == 10s);
  CAF_CHECK_EQUAL(how.max_attempts, 5u);
  CAF_CHECK_EQUAL(q->queue.dead_letter_group(), "emails.dead");
  CAF_CHECK(how.on_decode_failure.delay == 10min);
  CAF_CHECK((how.on_failure.wait == backoff{2s, 3, 1h, 0.5}));
  CAF_CHECK(how.drain_timeout == 0s);
}

CAF_TEST(a key that is left out has the default of the library) {
  const auto c = unbox(parse(queue("", payload)));
  CAF_CHECK_EQUAL(c.database.pool, 8u);
  CAF_CHECK(c.database.url.empty());
  const subscription_settings standard;
  const auto& how = c.queues[0].queue.settings;
  CAF_CHECK_EQUAL(how.workers, standard.workers);
  CAF_CHECK(how.lease == standard.lease);
  CAF_CHECK(how.timeout == standard.timeout);
  CAF_CHECK(how.on_failure == standard.on_failure);
  CAF_CHECK(how.on_decode_failure == standard.on_decode_failure);
  CAF_CHECK(c.queues[0].exec.empty());
  CAF_CHECK(c.queues[0].queue.description.kind() == form::row_lock);
}

CAF_TEST(C-007 a table from a file equals the one made by hand) {
  table_spec spec;
  spec.name = "jobs";
  spec.columns = {{"body", column_role::payload},
                  {"id", column_role::id, true, column_type::integer}};
  CAF_CHECK(
    parsed(queue("", payload + "generated = [\"id\"]")).queue.description
    == unbox(table::make(spec)));
}

CAF_TEST(row mode without data leaves the other columns to the database) {
  const auto q = parsed(
    queue("", "attempt = \"n\"\ngenerated = [\"id\", \"at\"]"));
  CAF_CHECK(q.all_columns);
  const std::vector<table_column> found{
    {"to"}, {"n"}, {"id"}, {"at"}, {"subject"}};
  CAF_CHECK_EQUAL(names(unbox(list_columns(q, found)).description),
                  "id* n at* to subject ");
  CAF_CHECK(!parsed(queue("data = [\"to\"]")).all_columns);
  CAF_CHECK(!parsed(queue("", payload)).all_columns);
}

CAF_TEST(C-016 a lock key names any column of the table) {
  const auto q = parsed(queue("lock_key = \"c-{customer}\"", payload));
  CAF_CHECK(q.queue.description.kind() == form::advisory);
  CAF_CHECK_EQUAL(names(q.queue.description), "id body customer ");
}
