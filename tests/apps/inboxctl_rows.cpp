#define CAF_SUITE inboxctl_rows
#include "inbox/any/by_url.hpp"
#include "inbox/test/unit.hpp"
#include "samples.hpp"
#include "user.hpp"

using namespace inbox::test;
using namespace std::chrono_literals;
using json = nlohmann::json;

namespace {

void for_each_place(const std::string& queues,
                    const std::function<void(const place&)>& test) {
  for (const auto& at : places()) {
    CAF_MESSAGE(at->product());
    at->configure(queues);
    at->create_tables();
    test(*at);
  }
}

std::string stored_payload(const place& at) {
  const auto rows = at.sql("SELECT body FROM @jobs");
  CAF_REQUIRE_EQUAL(rows->size(), 1u);
  return std::string{rows->at(0, 0).as_octets().value_or("")};
}

json stats_of(const place& at, const std::string& queue) {
  const auto ended = at.run({"stats", queue, "--json"});
  CAF_MESSAGE(ended.err);
  CAF_REQUIRE_EQUAL(ended.code, 0);
  return ended.json()["queues"][0];
}

} // namespace

CAF_TEST(enqueue answers the ids and fills in every role) {
  for_each_place(lease_queue(), [](const place& at) {
    const auto ended = at.run({"--json", "enqueue", "emails", "--payload", "hi",
                               "--header", "lang=en", "--header", "b=x=y",
                               "--priority", "-5", "--key", "ada", "--delay",
                               "1h", "--count", "2"});
    CAF_MESSAGE(ended.err);
    CAF_REQUIRE_EQUAL(ended.code, 0);
    CAF_CHECK_EQUAL(ended.out, "{\"queue\":\"emails\",\"ids\":[1,2]}\n");
    const auto rows = at.sql(
      "SELECT queue, urgency, customer, attempt, locked_until, done_at, meta "
      "FROM @jobs ORDER BY id");
    CAF_REQUIRE_EQUAL(rows->size(), 2u);
    CAF_CHECK_EQUAL(rows->at(0, 0).to_display(), "emails");
    CAF_CHECK_EQUAL(rows->at(0, 1).to_display(), "-5");
    CAF_CHECK_EQUAL(rows->at(0, 2).to_display(), "ada");
    CAF_CHECK_EQUAL(rows->at(0, 3).to_display(), "1");
    CAF_CHECK(rows->at(0, 4).is_null());
    CAF_CHECK(rows->at(0, 5).is_null());
    const auto meta = json::parse(*rows->at(0, 6).as_text());
    CAF_CHECK(meta == (json{{"lang", "en"}, {"b", "x=y"}}));
    const auto seen = stats_of(at, "emails");
    CAF_CHECK_EQUAL(seen["delayed"], 2);
  });
}

CAF_TEST(rows are announced once a group and so are those the trigger sees) {
  for (const auto& at : places()) {
    if (std::string_view{at->product()} != "Postgres")
      continue;
    at->configure("listen_notify = true\n" + lease_queue());
    at->create_tables(); // as ddl prints them, with the trigger
    const auto ear = unbox(inbox::any::pool(at->url()).to)->listen();
    const std::string channels[] = {at->table("jobs")};
    unbox(ear->open(channels));
    const auto hears = [&](const std::string& group) {
      const auto come = unbox(ear->wait(10s));
      CAF_REQUIRE(!come.empty());
      for (const auto& n : come)
        CAF_CHECK_EQUAL(n.payload, group);
    };
    at->sql("INSERT INTO @jobs (queue, body) VALUES ('others', '')");
    hears("others");
    at->sql("DROP TRIGGER jobs_announce ON @jobs");
    const auto ended = at->run({"enqueue", "emails", "--payload", "x",
                                "--count", "3", "--group", "letters"});
    CAF_MESSAGE(ended.err);
    CAF_CHECK_EQUAL(ended.code, 0);
    hears("letters");
    CAF_CHECK(unbox(ear->wait(50ms)).empty());
  }
}

CAF_TEST(a payload arrives octet by octet) {
  std::string all;
  for (int octet = 0; octet < 256; ++octet)
    all += static_cast<char>(octet);
  for_each_place(lease_queue(), [&](const place& at) {
    for (const auto& payload :
         {std::string{}, all, std::string(16 << 20, '\xff')}) {
      const auto ended = at.run({"enqueue", "emails"}, payload);
      CAF_MESSAGE(ended.err);
      CAF_REQUIRE_EQUAL(ended.code, 0);
      CAF_CHECK(stored_payload(at) == payload);
      at.sql("DELETE FROM @jobs");
    }
  });
}

CAF_TEST(each line is a payload and a carriage return belongs to it) {
  for_each_place(lease_queue(), [](const place& at) {
    const auto ended = at.run({"enqueue", "emails", "--lines", "--json"},
                              "one\r\n\nthree\n");
    CAF_REQUIRE_EQUAL(ended.code, 0);
    CAF_CHECK_EQUAL(ended.json()["ids"].size(), 3u);
    const auto rows = at.sql("SELECT body FROM @jobs ORDER BY id");
    CAF_REQUIRE_EQUAL(rows->size(), 3u);
    CAF_CHECK(rows->at(0, 0).as_octets() == "one\r");
    CAF_CHECK(rows->at(1, 0).as_octets() == "");
    CAF_CHECK(rows->at(2, 0).as_octets() == "three");
    CAF_CHECK_EQUAL(at.run({"enqueue", "emails", "--lines", "--json"}).out,
                    "{\"queue\":\"emails\",\"ids\":[]}\n");
  });
}

CAF_TEST(thousands of lines keep their order) {
  std::string lines;
  for (int i = 1; i <= 2345; ++i)
    lines += std::to_string(i) + "\n";
  for_each_place(lease_queue(), [&](const place& at) {
    const auto ended = at.run({"enqueue", "emails", "--lines", "--json"},
                              lines);
    CAF_MESSAGE(ended.err);
    const auto ids = ended.json()["ids"];
    CAF_REQUIRE_EQUAL(ids.size(), 2345u);
    const auto rows = at.sql("SELECT id, body FROM @jobs ORDER BY id");
    CAF_REQUIRE_EQUAL(rows->size(), 2345u);
    for (std::size_t i = 0; i < rows->size(); ++i) {
      CAF_REQUIRE(ids[i] == *rows->at(i, 0).as_integer());
      CAF_REQUIRE(rows->at(i, 1).as_octets() == std::to_string(i + 1));
    }
  });
}

CAF_TEST(a refused enqueue writes none of its rows) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->sql("CREATE TRIGGER no_third BEFORE INSERT ON jobs WHEN "
          "(SELECT count(*) FROM jobs) >= 2 BEGIN "
          "SELECT raise(ABORT, 'full'); END");
  const auto ended = at->run(
    {"enqueue", "emails", "--payload", "x", "--count", "3"});
  CAF_CHECK_EQUAL(ended.code, 1);
  CAF_CHECK(ended.err.find("full") != std::string::npos);
  CAF_CHECK_EQUAL(at->sql("SELECT 1 FROM jobs")->size(), 0u);
}

CAF_TEST(a text payload stays text where the column holds text) {
  const auto at = sqlite_place();
  at->configure(bare_queue());
  at->sql("CREATE TABLE bare_jobs (id INTEGER PRIMARY KEY, locked_until TEXT, "
          "body TEXT)");
  at->run({"enqueue", "bare", "--payload", "hello"});
  CAF_CHECK_EQUAL(
    at->sql("SELECT typeof(body) FROM bare_jobs")->at(0, 0).to_display(),
    "text");
}

CAF_TEST(stats count by state) {
  for_each_place(
    lease_queue("max_attempts = 5\ndead_letter = \"emails.dead\"\n"),
    [](const place& at) {
      at.run({"enqueue", "emails", "--payload", "x", "--count", "6"});
      at.sql("UPDATE @jobs SET due = '2026-01-01 00:00:00' WHERE id <= 2");
      at.sql("UPDATE @jobs SET due = '2099-01-01 00:00:00' WHERE id = 3");
      at.sql("UPDATE @jobs SET attempt = 12, "
             "locked_until = '2099-01-01 00:00:00' WHERE id = 4");
      at.sql("UPDATE @jobs SET done_at = '2026-01-01 00:00:00' WHERE id = 5");
      at.sql("UPDATE @jobs SET queue = 'emails.dead' WHERE id = 6");
      const auto seen = stats_of(at, "emails");
      CAF_CHECK_EQUAL(seen["queue"], "emails");
      CAF_CHECK_EQUAL(seen["ready"], 2);
      CAF_CHECK_EQUAL(seen["delayed"], 1);
      CAF_CHECK_EQUAL(seen["in_work"], 1);
      CAF_CHECK_EQUAL(seen["processed"], 1);
      CAF_CHECK_EQUAL(seen["dead"], 1);
      CAF_CHECK(seen["oldest_ready_seconds"].get<double>() > 86400);
      CAF_CHECK(seen["attempts"] == (json{{"1", 3}, {"12", 1}}));
    });
}

CAF_TEST(stats of an empty queue have no oldest row) {
  for_each_place(lease_queue(), [](const place& at) {
    CAF_CHECK_EQUAL(
      at.run({"stats", "--json"}).out,
      "{\"queues\":[{\"queue\":\"emails\",\"ready\":0,\"delayed\":0,"
      "\"in_work\":0,\"processed\":0,\"dead\":0,"
      "\"oldest_ready_seconds\":null,\"attempts\":{}}]}\n");
  });
}

CAF_TEST(list shows rows with exact ids and times) {
  for_each_place(lease_queue(), [](const place& at) {
    at.run({"enqueue", "emails", "--payload", "x"});
    at.sql("UPDATE @jobs SET id = 9007199254740993, "
           "due = '2026-01-02 03:04:05'");
    CAF_CHECK_EQUAL(at.run({"list", "emails", "--json"}).out,
                    "{\"queue\":\"emails\",\"rows\":[{\"id\":9007199254740993,"
                    "\"group\":\"emails\",\"state\":\"ready\",\"attempt\":1,"
                    "\"retry_after\":\"2026-01-02T03:04:05.000000Z\","
                    "\"locked_until\":null,\"processed_at\":null}]}\n");
    CAF_CHECK_EQUAL(
      at.run({"list", "emails", "--state", "in-work", "--json"}).out,
      "{\"queue\":\"emails\",\"rows\":[]}\n");
  });
}

CAF_TEST(list goes in claim order and stops at the limit) {
  for_each_place(lease_queue(), [](const place& at) {
    at.run({"enqueue", "emails", "--payload", "x", "--count", "3"});
    at.run({"enqueue", "emails", "--payload", "x", "--priority", "-1"});
    const auto rows
      = at.run({"list", "emails", "--limit", "2", "--json"}).json()["rows"];
    CAF_REQUIRE_EQUAL(rows.size(), 2u);
    CAF_CHECK_EQUAL(rows[0]["id"], 4);
    CAF_CHECK_EQUAL(rows[1]["id"], 1);
  });
}

CAF_TEST(row lock rows in work are those a skipping read leaves out) {
  for (const auto& at : places()) {
    if (at->product() == std::string{"SQLite"})
      continue;
    at->configure(row_lock_queue());
    at->create_tables();
    at->run({"enqueue", "mail", "--payload", "x", "--count", "3"});
    const auto go = at->folder() / "go";
    const auto program = at->script("wait", "touch started\nwhile ! [ -e "
                                              + go.string()
                                              + " ]; do sleep 0.05; done\n");
    const auto serve = at->start({"serve", "mail", "--exec", program});
    const auto started = at->folder() / "started";
    CAF_REQUIRE(eventually([&] { return fs::exists(started); }));
    const auto seen = stats_of(*at, "mail");
    CAF_CHECK_EQUAL(seen["in_work"], 1);
    CAF_CHECK_EQUAL(seen["ready"], 2);
    CAF_CHECK_EQUAL(at->run({"list", "mail", "--state", "in-work", "--json"})
                      .json()["rows"]
                      .size(),
                    1u);
    at->script("go", "");
  }
}

CAF_TEST(ddl and statements need no server) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  const std::string url = "postgres://nobody@127.0.0.1:1/none";
  const auto ddl = at->run({"ddl", "--db", url});
  CAF_CHECK_EQUAL(ddl.code, 0);
  CAF_CHECK(ddl.out.find("CREATE TABLE IF NOT EXISTS") != std::string::npos);
  const auto statements = at->run({"statements", "--db", url, "--json"});
  CAF_REQUIRE_EQUAL(statements.code, 0);
  const auto queue = statements.json()["queues"][0];
  CAF_CHECK_EQUAL(queue["form"], "lease");
  for (const auto& s : queue["statements"]) {
    const auto text = s["text"].get<std::string>();
    const auto last = "$" + std::to_string(s["parameters"].size());
    CAF_CHECK(s["parameters"].empty() || text.find(last) != std::string::npos);
  }
}
