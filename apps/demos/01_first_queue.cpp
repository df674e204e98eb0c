// A queue in a table the service has already: a row is added in the service's
// own transaction, then every due row goes to `send`.
//
//   01_first_queue shop.db      the tables are in 01_first_queue.sql

#include <iostream>

#include <SQLiteCpp/SQLiteCpp.h>

#include "inbox/actors/service.hpp"
#include "inbox/describe.hpp"
#include "inbox/sqlite/enqueue.hpp"
#include "inbox/sqlite/pool.hpp"

// [first queue]
struct mail_job { std::int64_t id; std::string queue, body; };

consteval auto inbox_table(std::type_identity<mail_job>) {
  using namespace inbox::role;
  return inbox::describe<mail_job, "mail_jobs">(
    id<&mail_job::id>(generated), group<&mail_job::queue>(),
    payload<&mail_job::body>(), retry_after<"due">(generated),
    attempt<"attempt">(generated), locked_until<"locked_until">(generated));
}

inbox::outcome send(const nlohmann::json& mail, inbox::context& about) {
  std::cout << "to " << mail.at("to") << ", attempt " << about.attempt() << '\n';
  return inbox::ack(); // or retry(), retry_after(delay), drop()
}

int main(int, char** argv) {
  SQLite::Database shop{argv[1], SQLite::OPEN_READWRITE};
  SQLite::Transaction order{shop}; // the order and its mail, or neither
  shop.exec("INSERT INTO orders (customer) VALUES ('ada@example.org')");
  const mail_job mail{0, "mails", R"({"to": "ada@example.org"})"};
  if (!inbox::sqlite::enqueue(shop, mail))
    return 1;
  order.commit();
  inbox::service service{inbox::sqlite::pool(argv[1])};
  service.serve<mail_job>("mails", send, {.workers = 4});
  return service.run() ? 0 : 1; // serves until Ctrl-C, then drains
}
// [first queue]
