#define CAF_SUITE settings_refusals
#include "inbox/test/unit.hpp"

#include "inbox/settings.hpp"

using namespace inbox;
using test::refusal;

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

} // namespace

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
