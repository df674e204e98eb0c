#define CAF_SUITE inboxctl_stopping
#include "inbox/test/unit.hpp"
#include "samples.hpp"
#include "user.hpp"

#include <csignal>

using namespace inbox::test;

namespace {

/// A program that says it has started, with its pid, and runs until `go`
/// exists.
std::string waiting_program(const place& at) {
  return at.script("wait", "echo $$ >> started\n"
                           "while ! [ -e go ]; do sleep 0.02; done\n");
}

int started_pid(const place& at) {
  int pid = 0;
  CAF_REQUIRE(eventually([&] {
    std::istringstream text{contents(at.folder() / "started")};
    return static_cast<bool>(text >> pid);
  }));
  return pid;
}

bool is_gone(int pid) {
  return kill(pid, 0) != 0;
}

std::string first_state(const place& at) {
  const auto listed = at.run({"list", "emails", "--json"}).json();
  return listed["rows"][0]["state"];
}

void for_each_place(const std::string& queues,
                    const std::function<void(const place&)>& test) {
  for (const auto& at : places()) {
    CAF_MESSAGE(at->product());
    at->configure(queues);
    at->create_tables();
    at->run({"enqueue", "emails", "--payload", "x", "--count", "3"});
    test(*at);
  }
}

} // namespace

CAF_TEST(the first signal lets programs finish and claims nothing more) {
  for_each_place(lease_queue(), [](const place& at) {
    const auto serve = at.start(
      {"serve", "emails", "--exec", waiting_program(at)});
    started_pid(at);
    serve->send(SIGTERM);
    CAF_REQUIRE(eventually(
      [&] { return serve->err().find("stopping") != std::string::npos; }));
    at.script("go", "");
    const auto ended = serve->wait();
    CAF_MESSAGE(ended.err);
    CAF_CHECK_EQUAL(ended.code, 0);
    const auto seen = at.run({"stats", "--json"}).json()["queues"][0];
    CAF_CHECK_EQUAL(seen["processed"], 1);
    CAF_CHECK_EQUAL(seen["ready"], 2); // given back at once
    CAF_CHECK(seen["attempts"] == (nlohmann::json{{"1", 2}}));
  });
}

CAF_TEST(at the drain time-out programs are ended and rows go back) {
  for_each_place(lease_queue("drain_timeout = \"200ms\"\n"),
                 [](const place& at) {
                   const auto serve = at.start(
                     {"serve", "emails", "--exec", waiting_program(at)});
                   const int pid = started_pid(at);
                   serve->send(SIGINT);
                   const auto ended = serve->wait();
                   CAF_MESSAGE(ended.err);
                   CAF_CHECK_EQUAL(ended.code, 0);
                   CAF_CHECK(ended.err.find("warning") != std::string::npos);
                   CAF_CHECK(is_gone(pid));
                   CAF_CHECK_EQUAL(first_state(at), "ready");
                 });
}

CAF_TEST(the second signal ends everything at once with 1) {
  for_each_place(lease_queue(), [](const place& at) {
    const auto serve = at.start(
      {"serve", "emails", "--exec", waiting_program(at)});
    const int pid = started_pid(at);
    serve->send(SIGTERM);
    CAF_REQUIRE(eventually(
      [&] { return serve->err().find("stopping") != std::string::npos; }));
    serve->send(SIGTERM);
    const auto ended = serve->wait();
    CAF_MESSAGE(ended.err);
    CAF_CHECK_EQUAL(ended.code, 1);
    CAF_CHECK(is_gone(pid));
    CAF_CHECK_EQUAL(first_state(at), "ready");
  });
}

CAF_TEST(programs die with a serve that is killed) {
  for_each_place(lease_queue(), [](const place& at) {
    const auto serve = at.start(
      {"serve", "emails", "--exec", waiting_program(at)});
    const int pid = started_pid(at);
    serve->send(SIGKILL);
    CAF_CHECK(eventually([pid] { return is_gone(pid); }));
    at.script("go", "");
    // The dead holder's lease keeps the next one until it ends.
    const auto next = at.run(
      {"serve", "emails", "--until-empty", "--exec", "true"});
    CAF_CHECK_EQUAL(next.code, 0);
    const auto seen = at.run({"stats", "--json"}).json()["queues"][0];
    CAF_CHECK_EQUAL(seen["processed"], 3);
  });
}

CAF_TEST(a program whose lease was lost is ended and its answer ignored) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  at->create_tables();
  at->run({"enqueue", "emails", "--payload", "x"});
  const auto serve = at->start(
    {"serve", "emails", "--exec", waiting_program(*at)});
  const int pid = started_pid(*at);
  at->sql("UPDATE jobs SET locked_until = '2099-01-01 00:00:00'");
  CAF_CHECK(eventually([pid] { return is_gone(pid); }));
  CAF_REQUIRE(
    eventually([&] { return serve->err().find("id=1") != std::string::npos; }));
  serve->send(SIGTERM);
  const auto ended = serve->wait();
  CAF_MESSAGE(ended.err);
  CAF_CHECK_EQUAL(ended.code, 0);
  CAF_CHECK_EQUAL(first_state(*at), "in-work");
}

CAF_TEST(a serve that waits for its server can be stopped) {
  for (const auto& at : places()) {
    if (at->product() == std::string{"SQLite"})
      continue;
    at->configure(lease_queue());
    const auto serve = at->start({"serve", "--wait", "--db",
                                  "postgres://u@127.0.0.1:1/none", "--exec",
                                  "true"});
    CAF_REQUIRE(eventually(
      [&] { return serve->err().find("127.0.0.1") != std::string::npos; }));
    serve->send(SIGTERM);
    CAF_CHECK_EQUAL(serve->wait().code, 0);
  }
}
