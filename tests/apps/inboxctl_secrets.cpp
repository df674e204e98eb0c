// A password in a URL is shown nowhere, whatever goes wrong with it.
#define CAF_SUITE inboxctl_secrets
#include "inbox/test/unit.hpp"
#include "samples.hpp"
#include "user.hpp"

#include <fstream>

#include "inbox/test/server.hpp"

using namespace inbox::test;

namespace {

using words = std::vector<std::string>;

/// Parts of the passwords below, as they are and percent-encoded.
void check_hidden(const finished& ended, int code) {
  CAF_MESSAGE(ended.err);
  CAF_CHECK_EQUAL(ended.code, code);
  for (const char* part : {"hunter2", "xyzzy", "wr@ng", "wr%40ng"}) {
    CAF_CHECK_EQUAL(ended.out.find(part), std::string::npos);
    CAF_CHECK_EQUAL(ended.err.find(part), std::string::npos);
  }
}

/// Every command that opens the database, with all it can be made to say.
const std::vector<words> commands{
  {"stats"},
  {"stats", "--json"},
  {"list", "emails"},
  {"enqueue", "emails", "--payload", "x"},
  {"serve", "--log-level", "debug", "--exec", "true"},
  {"serve", "--log-level", "debug", "--log-json", "--exec", "true"},
  {"serve", "--wait", "--until-empty", "--exec", "true"},
};

words with_url(words command, const std::string& url) {
  command.insert(command.begin() + 1, {"--db", url});
  return command;
}

} // namespace

CAF_TEST(a refused login shows no password) {
  const auto server = postgres_url();
  if (!server)
    return;
  const auto at = sqlite_place();
  at->configure(lease_queue());
  // The tests' server wants a password of this user alone.
  const auto settings = server->substr(server->find("/inbox?"));
  for (const auto& url :
       {"postgres://locked:wr%40ng%2Fhunter2" + ("@" + settings),
        "postgres://locked@" + settings + "&password=wr%40ng%26hunter2"})
    for (const auto& command : commands) {
      const auto ended = at->run(with_url(command, url));
      check_hidden(ended, 1);
      CAF_CHECK(ended.err.find("check user, password") != std::string::npos);
    }
}

CAF_TEST(a password in a configuration shows no more than one on the line) {
  const auto server = postgres_url();
  if (!server)
    return;
  const auto at = sqlite_place();
  std::ofstream{at->folder() / "inboxctl.toml"}
    << "[database]\nurl = \"postgres://locked:wr%40ng%2Fhunter2@"
    << server->substr(server->find("/inbox?")) << "\"\n"
    << lease_queue();
  for (const auto& command : commands)
    check_hidden(at->run(command), 1);
}

CAF_TEST(a server that cannot be reached ends with 1 and shows no password) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  const auto ended = at->run(
    {"stats", "--db", "postgres://mailer:hunter2@127.0.0.1:1/mail"});
  check_hidden(ended, 1);
  CAF_CHECK(ended.err.find("127.0.0.1") != std::string::npos);
}

CAF_TEST(a password that needs an escape and has none is not shown) {
  const auto at = sqlite_place();
  at->configure(lease_queue());
  for (const char* url : {
         "postgres://mailer:hunter2/xyzzy@127.0.0.1:1/mail",
         "postgres://mailer:hunter2@xyzzy@127.0.0.1:1/mail",
         "postgres://mailer:hunter2/xyzzy",
         "postgres://mailer:hunter2%xyzzy@127.0.0.1:1/mail",
         "postgres://mailer@127.0.0.1:1/mail?passwort=hunter2",
         "postgres:/mailer:hunter2@127.0.0.1:1/mail",
         "mysql://mailer:hunter2@127.0.0.1/mail",
       }) {
    const auto ended = at->run({"stats", "--db", url});
    check_hidden(ended, 2);
    CAF_CHECK(ended.err.find("URL") != std::string::npos
              || ended.err.find("not served") != std::string::npos);
  }
}

CAF_TEST(a password on a wrong command line is not repeated) {
  const auto at = sqlite_place();
  for (const char* url : {
         "postgres://mailer:hunter2@127.0.0.1/mail",
         "postgres://mailer:hunter2@xyzzy@127.0.0.1/mail",
         "postgres://mailer:hunter2 xyzzy@127.0.0.1/mail",
         "postgres://mailer@127.0.0.1/mail?password=hunter2",
         "mailer:hunter2@127.0.0.1/mail",
       })
    for (const auto& line :
         {words{"stats", "--dbx", url}, words{url},
          words{"stats", "--log-level", url}, words{"serve", "--workers", url}})
      check_hidden(at->run(line), 2);
}
