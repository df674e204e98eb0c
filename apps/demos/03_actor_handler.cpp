// A service inside a host's actor system, with an actor of the host's as the
// handler. It gets owned values, and answers when it likes.
//
//   03_actor_handler shop.db      the tables are in 01_first_queue.sql

#include <iostream>

#include <caf/all.hpp>

#include "inbox/actors/message.hpp"
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

// [actor]
caf::behavior postman() {
  return {
    [](const inbox::message& mail) -> inbox::outcome {
      std::cout << mail.queue << ' ' << mail.id << ": " << mail.payload
                << std::endl;
      return inbox::ack();
    },
  };
}
// [actor]

int main(int, char** argv) {
  // [host]
  caf::actor_system_config config;
  inbox::configure(config); // before the system exists
  caf::actor_system host{config};
  inbox::service service{host, inbox::sqlite::pool(argv[1])};
  auto mails = inbox::to_table<mail_job>().map([](inbox::table t) {
    return inbox::subscription{"mails", std::move(t), {.workers = 4}};
  });
  service.serve(std::move(*mails), host.spawn(postman));
  if (auto started = service.start(); !started) {
    std::cerr << started.error() << '\n';
    return 1;
  }
  // ... the host's own work; here: until the mail is out ...
  while (service.snapshot().queues[0].acked == 0)
    service.wait(20ms);
  service.stop();
  // [host]
}
