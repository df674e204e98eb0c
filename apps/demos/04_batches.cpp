// Several rows in one handler call, for work that costs less by the hundred:
// each row still has an outcome of its own.
//
//   04_batches shop.db      the tables are in 01_first_queue.sql

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

// [batch]
void send_all(inbox::batch<nlohmann::json>& mails) { // each item starts as ack
  std::cout << "a connection for " << mails.size() << " mails" << std::endl;
  for (auto& item : mails)
    if (item.value().at("to") == "busy@example.org")
      item.retry_after(10min);
}
// [batch]

int main(int, char** argv) {
  inbox::service service{inbox::sqlite::pool(argv[1])};
  service.serve<mail_job>("mails", send_all, {.batch = 100});
  if (auto ran = service.run(); !ran) {
    std::cerr << ran.error() << '\n';
    return 1;
  }
}
