#define CAF_SUITE inboxctl_refusals
#include "inbox/test/unit.hpp"
#include "samples.hpp"
#include "user.hpp"

#include <fstream>

using namespace inbox::test;

namespace {

/// One command line that has to be refused, and words of the reason.
struct refused_line {
  std::vector<std::string> words;
  const char* reason;
};

void check_refused(const place& at, const refused_line& line, int code) {
  const auto ended = at.run(line.words);
  CAF_MESSAGE(line.words.front() << ": " << ended.err);
  CAF_CHECK_EQUAL(ended.code, code);
  CAF_CHECK_EQUAL(ended.out, "");
  CAF_CHECK(ended.err.find(line.reason) != std::string::npos);
  // One line says it all.
  CAF_CHECK_EQUAL(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
}

} // namespace

CAF_TEST(a wrong command line ends with 2) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  const refused_line lines[] = {
    {{"serv"}, "serv"},
    {{"--json"}, "subcommand"},
    {{"stats", "--bogus"}, "--bogus"},
    {{"enqueue"}, "QUEUE"},
    {{"enqueue", "emails", "--count", "0"}, "--count"},
    {{"enqueue", "emails", "--count", "-1"}, "--count"},
    {{"enqueue", "emails", "--payload", "x", "--lines"}, "--lines"},
    {{"enqueue", "emails", "--payload", "x", "--delay", "-5s"}, "duration"},
    {{"enqueue", "emails", "--payload", "x", "--delay", "999999999h"},
     "longest"},
    {{"enqueue", "emails", "--payload", "x", "--header", "novalue"}, "lang=en"},
    {{"enqueue", "emails", "--payload", "x", "--header", "a=1", "--header",
      "a=2"},
     "twice"},
    {{"list", "emails", "--state", "gone"}, "--state"},
    {{"list", "emails", "--limit", "0"}, "--limit"},
    {{"serve", "--workers", "0"}, "--workers"},
    {{"serve", "emails"}, "--exec"},
    {{"serve", "emails", "--exec"}, "--exec"},
    {{"stats", "nowhere"}, "emails"},
    {{"stats", "--db", "oracle://x"}, "sqlite:"},
    {{"stats", "--db", "mysql://u:secret@h/d"}, "not served"},
  };
  for (const auto& line : lines)
    check_refused(*at, line, 2);
}

CAF_TEST(a wrong configuration ends with 2) {
  const auto at = sqlite_place();
  check_refused(*at, {{"stats"}, "inboxctl.toml"}, 2); // it is missing
  const struct {
    std::string text;
    const char* reason;
  } cases[] = {
    {"[queue.x\n", "inboxctl.toml:3"},
    {"", "[queue.NAME]"},
    {"listen_notify = true\n" + lease_queue(), "polled"},
    {lease_queue("wrokers = 2\n"), "workers"},
    {lease_queue("workers = 0\n"), "workers"},
    {lease_queue("prefetch = 0\n"), "prefetch"},
    {lease_queue("batch = 0\n"), "batch"},
    {lease_queue("max_attempts = 3\n"), "dead_letter"},
    {lease_queue("dead_letter = \"d\"\n"), "max_attempts"},
    {lease_queue("clock = \"database\"\n"), "clock"},
    {lease_queue("exec = [\"${INBOX_NO_SUCH_NAME}\"]\n"), "INBOX_NO_SUCH_NAME"},
    {lease_queue("timeout = \"5\"\n"), "timeout"},
  };
  for (const auto& c : cases) {
    at->configure(c.text);
    check_refused(*at, {{"statements"}, c.reason}, 2);
  }
  at->configure(row_lock_queue());
  check_refused(*at, {{"statements"}, "locked_until"}, 2);
}

CAF_TEST(an option for a role the table lacks is refused and nothing written) {
  const auto at = sqlite_place();
  at->configure(bare_queue());
  at->create_tables();
  for (const auto& option :
       std::vector<std::vector<std::string>>{{"--header", "a=b"},
                                             {"--delay", "1s"},
                                             {"--priority", "1"},
                                             {"--key", "k"},
                                             {"--group", "g"}}) {
    std::vector<std::string> words{"enqueue", "bare", "--payload", "x"};
    words.insert(words.end(), option.begin(), option.end());
    check_refused(*at, {words, option.front().c_str()}, 2);
  }
  CAF_CHECK_EQUAL(at->sql("SELECT 1 FROM bare_jobs")->size(), 0u);
}

CAF_TEST(what the world does not allow ends with 1) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  // The table is missing.
  check_refused(*at, {{"stats"}, "jobs"}, 1);
  check_refused(*at, {{"enqueue", "emails", "--payload", "x"}, "jobs"}, 1);
  at->create_tables();
  check_refused(*at, {{"serve", "--exec", "./gone"}, "gone"}, 1);
  check_refused(*at, {{"serve", "--exec", "inboxctl-no-such"}, "PATH"}, 1);
  check_refused(*at, {{"enqueue", "emails", "--file", "gone"}, "gone"}, 1);
  check_refused(*at, {{"stats", "--db", "sqlite:gone.db"}, "gone.db"}, 1);
  at->sql("ALTER TABLE jobs RENAME COLUMN attempt TO tries");
  check_refused(*at, {{"serve", "--exec", "true"}, "attempt"}, 1);
}

CAF_TEST(help shows an example of each command) {
  const auto at = sqlite_place();
  for (const char* command :
       {"serve", "enqueue", "stats", "list", "ddl", "statements"}) {
    const auto help = at->run({command, "--help"});
    CAF_CHECK_EQUAL(help.code, 0);
    CAF_CHECK(help.out.find(std::string{"  inboxctl "} + command)
              != std::string::npos);
  }
}
