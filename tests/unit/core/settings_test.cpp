#define CAF_SUITE settings
#include "inbox/test/unit.hpp"

#include "inbox/settings.hpp"

using namespace inbox;
using test::refusal;
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
const auto lease = payload + "locked_until = \"until\"\nattempt = \"n\"\n";

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

CAF_TEST(each refusal names file and line and what to do) {
  const auto roles = std::string{
    "id, group, partition_key, priority, retry_after, attempt, "
    "locked_until, processed_at, headers, payload, fifo, "
    "generated"};
  const struct {
    std::string text;
    errc code;
    std::string message;
  } cases[] = {
    {"[queue.q\n", errc::invalid_config, "jobs.toml:1: not readable as TOML: "},
    {"a = 1\na = 2\n", errc::invalid_config, "jobs.toml:2: not readable as "},
    {"\nqueues = 1\n", errc::invalid_config,
     "jobs.toml:2: unknown key \"queues\"; legal keys: database, queue"},
    {"[database]\nulr = \"x\"\n", errc::invalid_config,
     "jobs.toml:2: [database] unknown key \"ulr\"; legal keys: url, pool, "
     "listen_notify, wal"},
    {"queue = 3\n", errc::invalid_config,
     "jobs.toml:1: queue is a table; write [queue] and its keys below"},
    {"[queue]\nq = 3\n", errc::invalid_config,
     "jobs.toml:2: queue.q is a table; write [queue.q] and its keys below"},
    {"[database]\npool = 1\n", errc::invalid_setting,
     "jobs.toml:2: [database] pool is a whole number, 2 or more; it is 1"},
    {"[database]\nurl = 5\n", errc::invalid_setting,
     "jobs.toml:2: [database] url is a string; put it in quotes"},
    {"[database]\nwal = \"yes\"\n", errc::invalid_setting,
     "jobs.toml:2: [database] wal is true or false, without quotes"},
    {"[database]\nurl = \"a${PASSWORD}\"\n", errc::invalid_config,
     "jobs.toml:2: the environment variable PASSWORD is not set; set it or "
     "write the value itself"},
    {"[database]\nurl = \"a${\"\n", errc::invalid_config,
     "jobs.toml:2: a string holds ${ without a variable's name and }; write "
     "${NAME}"},
    {queue("workrs = 4"), errc::invalid_config,
     "jobs.toml:3: [queue.q] unknown key \"workrs\"; legal keys: table, "
     "lock_key, clock, isolation, mode, columns, data, group, workers, batch, "
     "prefetch, timeout, poll_interval, lease, max_attempts, dead_letter, "
     "on_decode_failure, on_failure, backoff, drain_timeout, exec"},
    {queue("workers = 0"), errc::invalid_setting,
     "jobs.toml:3: [queue.q] workers is a whole number, 1 or more; it is 0"},
    {queue("batch = -1"), errc::invalid_setting,
     "jobs.toml:3: [queue.q] batch is a whole number, 1 or more; it is -1"},
    {queue("prefetch = 4294967296"), errc::invalid_setting,
     "jobs.toml:3: [queue.q] prefetch is a whole number, 1 or more; it is "
     "4294967296"},
    {queue("workers = \"4\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] workers is a whole number, 1 or more, without "
     "quotes"},
    {queue("timeout = \"5 minutes\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] timeout: \"5 minutes\" is no duration; "},
    {queue("lease = \"500ms\"", lease), errc::invalid_setting,
     "jobs.toml:3: [queue.q] lease is 500ms; it is at least 1s"},
    {queue("lease = \"30s\"", payload), errc::invalid_setting,
     "jobs.toml:3: [queue.q] lease is set and no column of the table has the "
     "role locked_until; "},
    {queue("poll_interval = \"0s\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] poll_interval is 0s; it is at least 1ms"},
    {queue("clock = \"server\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] clock is \"server\"; legal values: host, "
     "database"},
    {queue("clock = \"database\"", lease), errc::lease_on_database_clock,
     "jobs.toml:3: [queue.q] the locked_until column \"until\" makes "},
    {queue("isolation = \"snapshot\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] isolation is \"snapshot\"; legal values: "
     "read_uncommitted, read_committed, repeatable_read, serializable"},
    {queue("isolation = \"serializable\"\nmode = \"immediate\""),
     errc::invalid_setting,
     "jobs.toml:4: [queue.q] isolation and mode are both set; "},
    {queue("on_failure = \"explode\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] on_failure: \"explode\" is no policy; "},
    {queue("on_failure = \"retry_after:1m\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] on_failure is retry, drop, ack or stop; "},
    {queue("on_failure = \"drop\"\nbackoff = { first = \"1s\" }"),
     errc::invalid_setting,
     "jobs.toml:4: [queue.q] backoff belongs to on_failure = \"retry\"; "},
    {queue("backoff = { frst = \"1s\" }"), errc::invalid_config,
     "jobs.toml:3: [queue.q.backoff] unknown key \"frst\"; legal keys: first, "
     "factor, cap, jitter"},
    {queue("backoff = { factor = \"2\" }"), errc::invalid_setting,
     "jobs.toml:3: [queue.q.backoff] factor is a number, without quotes"},
    {queue("backoff = { factor = 0.5 }", "group = \"g\""),
     errc::invalid_setting,
     "jobs.toml:3: [queue.q] backoff.factor is 0.500000; "},
    {queue("exec = \"./send\""), errc::invalid_setting,
     "jobs.toml:3: [queue.q] exec is a list of strings, such as "},
    {queue("exec = []"), errc::invalid_setting,
     "jobs.toml:3: [queue.q] exec is a program and its arguments, such as "},
    {queue("max_attempts = 3", lease), errc::declaration,
     "jobs.toml:3: [queue.q] max_attempts is set without dead_letter; "},
    {queue("dead_letter = \"d\"", lease), errc::declaration,
     "jobs.toml:3: [queue.q] dead_letter is set without max_attempts; "},
    {queue("max_attempts = 3\ndead_letter = \"d\"", payload), errc::declaration,
     "jobs.toml:3: [queue.q] max_attempts is set and no column of the table "
     "has the role attempt; "},
    {queue("group = \"g\"", payload), errc::invalid_setting,
     "jobs.toml:3: [queue.q] group is set and no column of the table has the "},
    {"[queue.q]\n[queue.q.columns]\nid = \"id\"\n", errc::invalid_config,
     "jobs.toml:1: [queue.q] the key table is missing; "},
    {"[queue.q]\ntable = \"a.b.c\"\n", errc::invalid_description,
     "jobs.toml:2: [queue.q] table: \"a.b.c\" holds more than one dot; "},
    {"[queue.q]\ntable = \"jobs\"\n", errc::invalid_description,
     "jobs.toml:1: [queue.q] no column has the role id; "},
    {queue("", "atempt = \"n\""), errc::invalid_config,
     "jobs.toml:6: [queue.q.columns] unknown key \"atempt\"; legal keys: "
       + roles},
    {queue("", "attempt = \"id\""), errc::invalid_description,
     "jobs.toml:6: [queue.q.columns] the column \"id\" already has the role "
     "id; "},
    {queue("data = [\"id\"]"), errc::invalid_description,
     "jobs.toml:3: [queue.q] data names \"id\", which is named already; "},
    {queue("", payload + "generated = [\"idd\"]"), errc::invalid_description,
     "jobs.toml:7: [queue.q.columns] generated names \"idd\", which is no "},
    {queue("", payload + "generated = [\"id\", \"id\"]"), errc::invalid_setting,
     "jobs.toml:7: [queue.q.columns] generated names \"id\" twice"},
    {queue("lock_key = \"{id\"", payload), errc::invalid_description,
     "jobs.toml:3: [queue.q] the lock_key \"{id\" has a { without a } after "},
    {queue("lock_key = \"{x}\"\ndata = [\"a\"]", payload),
     errc::invalid_description,
     "jobs.toml:3: [queue.q] the lock_key \"{x}\" names {x}, which is no "},
    {queue("lock_key = \"{id}\"", payload + "group = \"g\"\nfifo = true"),
     errc::invalid_description,
     "jobs.toml:3: [queue.q] fifo does not go with lock_key; put {g} into "},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.text);
    const auto refused = refusal(parse(c.text));
    CAF_CHECK_EQUAL(refused.message().substr(0, c.message.size()), c.message);
    CAF_CHECK(refused.code() == c.code);
  }
}

CAF_TEST(a file that cannot be read is refused and named) {
  for (const auto* file : {"/no/such/inboxctl.toml", "/"}) {
    const auto refused = refusal(read_configuration(file));
    CAF_CHECK(refused.code() == errc::invalid_config);
    CAF_CHECK_EQUAL(refused.message().rfind(std::string{file}
                                              + ": cannot be "
                                                "read: ",
                                            0),
                    0u);
  }
}
