// Rows added within the service's own transaction, beside the orders they
// belong to; then one that stands alone.
//
//   05_enqueue shop.db      the tables are in 01_first_queue.sql

#include <iostream>

#include <SQLiteCpp/SQLiteCpp.h>

#include "inbox/actors/service.hpp"
#include "inbox/describe.hpp"
#include "inbox/sqlite/enqueue.hpp"
#include "inbox/sqlite/pool.hpp"

using namespace std::chrono_literals;
using inbox::expected;

struct mail_job { std::int64_t id; std::string queue, body; };

consteval auto inbox_table(std::type_identity<mail_job>) {
  using namespace inbox::role;
  return inbox::describe<mail_job, "mail_jobs">(
    id<&mail_job::id>(generated), group<&mail_job::queue>(),
    payload<&mail_job::body>(), retry_after<"due">(generated),
    attempt<"attempt">(generated), locked_until<"locked_until">(generated));
}

inbox::outcome send(const nlohmann::json& mail) {
  std::cout << "to " << mail.at("to") << std::endl;
  return inbox::ack();
}

// [enqueue]
expected<void> sell(SQLite::Database& shop, inbox::service& service,
                    const std::vector<std::string>& customers) {
  SQLite::Transaction sale{shop};
  std::vector<mail_job> mails;
  for (const auto& customer : customers) {
    SQLite::Statement order{shop, "INSERT INTO orders (customer) VALUES (?)"};
    order.bind(1, customer);
    order.exec();
    mails.push_back({0, "mails", nlohmann::json{{"to", customer}}.dump()});
  }
  const auto ids = inbox::sqlite::enqueue_many(shop, mails); // all or none
  if (!ids)
    return tl::make_unexpected(ids.error()); // and takes the orders back
  sale.commit();
  service.wake("mails"); // or they wait for the next poll
  return {};
}
// [enqueue]

expected<void> run(const char* path) {
  SQLite::Database shop{path, SQLite::OPEN_READWRITE, 5000}; // waits 5 s at most
  inbox::service service{inbox::sqlite::pool(path)};
  service.serve<mail_job>("mails", send, {.workers = 4});
  if (auto started = service.start(); !started)
    return started;
  if (auto sold = sell(shop, service, {"ada@example.org", "bob@example.org"});
      !sold)
    return sold;
  const inbox::new_row alone{.payload = R"({"to": "eve@example.org"})"};
  if (auto id = service.enqueue("mails", alone); !id)
    return tl::make_unexpected(id.error());
  // ... the service's other work; here: until the mails are out ...
  while (service.snapshot().queues[0].acked < 3)
    service.wait(20ms);
  return service.stop();
}

int main(int, char** argv) {
  if (auto ran = run(argv[1]); !ran) {
    std::cerr << ran.error() << '\n';
    return 1;
  }
}
