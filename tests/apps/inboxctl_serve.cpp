#define CAF_SUITE inboxctl_serve
#include "inbox/test/unit.hpp"
#include "samples.hpp"
#include "user.hpp"

#include <csignal>

using namespace inbox::test;

namespace {

const auto dead_letters
  = "max_attempts = 2\ndead_letter = \"emails.dead\"\n"
    "backoff = { first = \"1ms\", factor = 1.0, cap = \"1ms\", jitter = 0.0 "
    "}\n";

void for_each_place(const std::string& queues,
                    const std::function<void(const place&)>& test) {
  for (const auto& at : places()) {
    CAF_MESSAGE(at->product());
    at->configure(queues);
    at->create_tables();
    test(*at);
  }
}

/// Serves the queue until it is empty, with this shell script.
finished serve(const place& at, const std::string& queue,
               const std::string& body) {
  auto ended = at.run(
    {"serve", queue, "--until-empty", "--exec", at.script("work", body)});
  CAF_MESSAGE(ended.err);
  return ended;
}

std::string display(const place& at, const std::string& query) {
  const auto rows = at.sql(query);
  return rows->size() == 0 ? "no row" : rows->at(0, 0).to_display();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

} // namespace

CAF_TEST(a program gets its payload and what the row tells) {
  for_each_place(lease_queue(), [](const place& at) {
    at.run({"enqueue", "emails", "--payload", "hello", "--key", "ada",
            "--header", "lang=en"});
    const auto ended = serve(
      at, "emails",
      "cat > got\n"
      "echo \"$INBOX_QUEUE $INBOX_ID $INBOX_ATTEMPT $INBOX_GROUP "
      "$INBOX_KEY $INBOX_HEADERS ${INBOX_LOCK-unset}\" > told\n"
      "echo out; echo err >&2\n");
    CAF_CHECK_EQUAL(ended.code, 0);
    CAF_CHECK(ended.err.find("serving emails (lease, 1 worker)")
              != std::string::npos);
    CAF_CHECK_EQUAL(contents(at.folder() / "got"), "hello");
    CAF_CHECK_EQUAL(contents(at.folder() / "told"),
                    "emails 1 1 emails ada {\"lang\":\"en\"} unset\n");
    CAF_CHECK(ended.err.find("out queue=emails id=1 stream=stdout")
              != std::string::npos);
    CAF_CHECK(ended.err.find("err queue=emails id=1 stream=stderr")
              != std::string::npos);
    CAF_CHECK_EQUAL(
      display(at, "SELECT count(*) FROM @jobs WHERE done_at IS NOT NULL"), "1");
  });
}

CAF_TEST(a payload of 16 MiB and one that stays unread are delivered) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->run({"enqueue", "emails"}, std::string(16 << 20, '\0'));
  CAF_CHECK_EQUAL(serve(*at, "emails", "wc -c > size\n").code, 0);
  CAF_CHECK_EQUAL(contents(at->folder() / "size"), "16777216\n");
  at->run({"enqueue", "emails"}, std::string(16 << 20, '\0'));
  CAF_CHECK_EQUAL(serve(*at, "emails", "exit 0\n").code, 0);
}

CAF_TEST(exit codes settle as the contract says) {
  for_each_place(lease_queue(dead_letters), [](const place& at) {
    at.run({"enqueue", "emails", "--lines"}, "0\n75\n65\n3\nkill\n");
    const auto ended = serve(
      at, "emails",
      "read code\n"
      "echo $code >> runs\n"
      "[ $code = kill ] && kill -9 $$\n"
      "[ $code = 75 ] && [ $INBOX_ATTEMPT = 2 ] && exit 0\n"
      "exit $code\n");
    CAF_CHECK_EQUAL(ended.code, 0);
    const auto runs = contents(at.folder() / "runs");
    CAF_CHECK_EQUAL(count_of(runs, "65\n"), 1u);
    CAF_CHECK_EQUAL(count_of(runs, "75\n"), 2u);
    CAF_CHECK_EQUAL(count_of(runs, "3\n"), 2u);
    CAF_CHECK_EQUAL(count_of(runs, "kill\n"), 2u);
    CAF_CHECK_EQUAL(
      display(at, "SELECT count(*) FROM @jobs WHERE queue = 'emails.dead'"),
      "2");
    CAF_CHECK(ended.err.find("exit code 3") != std::string::npos);
    CAF_CHECK(ended.err.find("Killed") != std::string::npos);
  });
}

CAF_TEST(a line on descriptor 3 delays the retry) {
  for_each_place(lease_queue(), [](const place& at) {
    at.run({"enqueue", "emails", "--payload", "x"});
    const auto ended = serve(at, "emails",
                             "echo retry_after 1h >&3\nexit 75\n");
    CAF_CHECK_EQUAL(ended.code, 0); // a delayed row does not keep it
    const auto seen = at.run({"stats", "--json"}).json()["queues"][0];
    CAF_CHECK_EQUAL(seen["delayed"], 1);
  });
}

CAF_TEST(headers too long for the environment come in a file) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x", "--header",
           "long=" + std::string(100'000, 'h')});
  CAF_CHECK_EQUAL(serve(*at, "emails",
                        "cp \"$INBOX_HEADERS_FILE\" headers\n"
                        "echo ${INBOX_HEADERS-unset} > inline\n")
                    .code,
                  0);
  CAF_CHECK_EQUAL(contents(at->folder() / "headers").size(), 100'011u);
  CAF_CHECK_EQUAL(contents(at->folder() / "inline"), "unset\n");
}

CAF_TEST(in row mode the row comes as one JSON object) {
  const auto at = sqlite_place();
  at->configure("[queue.rows]\ntable = \"orders\"\npoll_interval = \"50ms\"\n"
                "[queue.rows.columns]\nid = \"id\"\n"
                "locked_until = \"locked_until\"\ngenerated = [\"id\"]\n");
  at->sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, locked_until TEXT, "
          "name TEXT, photo BLOB, price REAL, none TEXT)");
  at->sql("INSERT INTO orders (name, photo, price) "
          "VALUES ('a \"b\"', x'00ff', 1.5)");
  CAF_CHECK_EQUAL(serve(*at, "rows", "cat > got\n").code, 0);
  const auto got = nlohmann::json::parse(contents(at->folder() / "got"));
  CAF_CHECK_EQUAL(got["id"], 1);
  CAF_CHECK_EQUAL(got["name"], "a \"b\"");
  CAF_CHECK_EQUAL(got["photo_base64"], "AP8=");
  CAF_CHECK_EQUAL(got["price"], 1.5);
  CAF_CHECK(got["none"].is_null());
}

CAF_TEST(a batch comes as one JSON array and is answered row by row) {
  for_each_place(lease_queue("batch = 3\n"), [](const place& at) {
    at.run({"enqueue", "emails", "--header", "lang=en"}, "one");
    at.run({"enqueue", "emails"}, std::string{"\xff\x00", 2});
    at.run({"enqueue", "emails", "--payload", "three"});
    const auto ended = serve(
      at, "emails",
      "cat >> got; echo >> got\n"
      "[ -f again ] && exit 0\n"
      "touch again\n"
      "echo '[\"ack\", \"drop\", {\"retry_after\": \"0s\"}]'\n");
    CAF_CHECK_EQUAL(ended.code, 0);
    CAF_CHECK_EQUAL(
      contents(at.folder() / "got"),
      R"([{"id":1,"attempt":1,"headers":{"lang":"en"},"payload":"one"},)"
      R"({"id":2,"attempt":1,"headers":{},"payload_base64":"/wA="},)"
      R"({"id":3,"attempt":1,"headers":{},"payload":"three"}])"
      "\n"
      R"([{"id":3,"attempt":2,"headers":{},"payload":"three"}])"
      "\n");
    CAF_CHECK_EQUAL(
      display(at, "SELECT count(*) FROM @jobs WHERE done_at IS NULL"), "0");
  });
}

CAF_TEST(a batch whose answer cannot be read follows the failure policy) {
  const auto at = sqlite_place();
  at->configure(lease_queue("batch = 2\non_failure = \"drop\"\n"));
  at->create_tables();
  at->run({"enqueue", "emails", "--lines"}, "1\n2\n");
  const auto ended = serve(*at, "emails", "echo done\n");
  CAF_CHECK_EQUAL(ended.code, 0);
  CAF_CHECK(ended.err.find("cannot be read: it is no JSON array")
            != std::string::npos);
}

CAF_TEST(headers that are no object follow the decode policy) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x"});
  at->sql("UPDATE jobs SET meta = '[1]'");
  CAF_CHECK_EQUAL(serve(*at, "emails", "touch ran\n").code, 0);
  CAF_CHECK(!fs::exists(at->folder() / "ran"));
}

CAF_TEST(a program over its time goes with its process group) {
  const auto at = sqlite_place();
  at->configure(
    lease_queue(std::string{dead_letters} + "timeout = \"200ms\"\n"));
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x"});
  const auto ended = serve(*at, "emails",
                           "sleep 600 &\necho $! >> kids\nwait\n");
  CAF_CHECK_EQUAL(ended.code, 0);
  CAF_CHECK(ended.err.find("longer than the queue's timeout")
            != std::string::npos);
  std::istringstream kids{contents(at->folder() / "kids")};
  for (int kid = 0; kids >> kid;)
    CAF_CHECK(eventually([kid] { return kill(kid, 0) != 0; }));
}

CAF_TEST(a program that ignores SIGTERM is killed two seconds later) {
  const auto at = sqlite_place();
  at->configure(lease_queue("timeout = \"100ms\"\non_failure = \"drop\"\n"));
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x"});
  const auto ended = serve(*at, "emails",
                           "trap '' TERM\nwhile :; do sleep 0.1; done\n");
  CAF_CHECK_EQUAL(ended.code, 0);
  CAF_CHECK(ended.err.find("Killed") != std::string::npos);
}

CAF_TEST(row locks are served on Postgres) {
  for (const auto& at : places()) {
    if (at->product() == std::string{"SQLite"})
      continue;
    at->configure(row_lock_queue());
    at->create_tables();
    at->run({"enqueue", "mail", "--payload", "x", "--count", "20"});
    const auto ended = at->run(
      {"serve", "mail", "--workers", "4", "--until-empty", "--exec", "true"});
    CAF_MESSAGE(ended.err);
    CAF_CHECK_EQUAL(ended.code, 0);
    CAF_CHECK(ended.err.find("serving mail (row lock, 4 workers)")
              != std::string::npos);
    CAF_CHECK_EQUAL(display(*at, "SELECT count(*) FROM @mail_jobs"), "0");
  }
}

CAF_TEST(logs are JSON when they are asked for) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x"});
  const auto ended = at->run({"serve", "--until-empty", "--log-json", "--exec",
                              "sh", "-c", "printf 'a\\033\\377\\n'"});
  CAF_CHECK_EQUAL(ended.code, 0);
  std::istringstream lines{ended.err};
  for (std::string line; std::getline(lines, line);)
    CAF_CHECK(nlohmann::json::accept(line));
}
