// What a handler may answer, and what becomes of a row that keeps failing: it
// is tried again later and later, and at the fifth failure moved to a group of
// its own, where somebody looks at it.
//
//   02_retries shop.db      the tables are in 01_first_queue.sql

#include <iostream>

#include "inbox/actors/service.hpp"
#include "inbox/describe.hpp"
#include "inbox/sqlite/pool.hpp"

using namespace std::chrono_literals;

struct mail_job { std::int64_t id; std::string queue, body; };

consteval auto inbox_table(std::type_identity<mail_job>) {
  using namespace inbox::role;
  return inbox::describe<mail_job, "mail_jobs">(
    id<&mail_job::id>(generated), group<&mail_job::queue>(),
    payload<&mail_job::body>(), retry_after<"due">(generated),
    attempt<"attempt">(generated), locked_until<"locked_until">(generated));
}

// [outcomes]
inbox::outcome send(const nlohmann::json& mail, inbox::context& about) {
  const auto to = mail.at("to").get<std::string>(); // throws: the policy says
  if (to.empty())
    return inbox::drop();                           // nobody will ever want it
  if (to.ends_with("@slow.example"))
    return inbox::retry_after(50ms * about.attempt());
  std::cout << "sent to " << to << std::endl;
  return inbox::ack();
}
// [outcomes]

int main(int, char** argv) {
  // [policies]
  inbox::subscription_settings how;
  how.workers = 4;
  how.max_attempts = 5;           // the fifth failure moves the row
  how.dead_letter = "mails.dead"; // to this group of the same table
  how.on_decode_failure = {inbox::failure_policy::kind::retry_after, 10min, {}};
  how.on_failure.wait = inbox::backoff{.first = 1s, .factor = 2, .cap = 10min};
  // [policies]
  inbox::service service{inbox::sqlite::pool(argv[1])};
  service.serve<mail_job>("mails", send, how);
  if (auto ran = service.run(); !ran) {
    std::cerr << ran.error() << '\n';
    return 1;
  }
}
