// Serves a stand's table until it is killed: kill_victim CELL URL SCHEMA
// CAP. Every row takes a few milliseconds; a payload "boom" ends the process.
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

#include "inbox/actors/service.hpp"
#include "inbox/postgres/pool.hpp"
#include "inbox/sqlite/pool.hpp"
#include "inbox/test/cell.hpp"

namespace {

using namespace inbox;

expected<table> jobs(bool leased, const std::string& schema) {
  table_spec t;
  t.schema = schema;
  t.name = "jobs";
  t.columns = {{"id", column_role::id, true},
               {"name", column_role::group},
               {"retry_after", column_role::retry_after},
               {"attempt", column_role::attempt},
               {"processed_at", column_role::processed_at},
               {"payload", column_role::payload}};
  if (leased)
    t.columns.push_back({"locked_until", column_role::locked_until});
  return table::make(std::move(t));
}

outcome work(const std::string& payload) {
  if (payload == "boom")
    std::abort();
  // Some work, which ends when the process does.
  std::mutex alone;
  std::unique_lock lock{alone};
  std::condition_variable{}.wait_for(lock, 10ms);
  return ack();
}

int serve(const std::string& where, const std::string& url,
          const std::string& schema, std::uint32_t cap) {
  const bool leased = where != to_string(test::cell::postgres_row_lock);
  const bool server = where != to_string(test::cell::sqlite_lease);
  auto described = jobs(leased, server ? schema : "");
  if (!described)
    return std::cerr << described.error() << '\n', 2;
  subscription_settings how{
    .workers = 4, .prefetch = 20, .poll_interval = 50ms};
  if (leased)
    how.lease = 1s;
  if (cap > 0) {
    how.max_attempts = cap;
    how.dead_letter = "dead";
  }
  service s{server ? postgres::pool(url) : sqlite::pool(url)};
  s.serve(subscription{"emails", std::move(*described), how}, adapt(work));
  if (auto ran = s.run(); !ran)
    return std::cerr << ran.error() << '\n', 1;
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return std::cerr << "kill_victim CELL URL SCHEMA CAP\n", 2;
  return serve(argv[1], argv[2], argv[3],
               static_cast<std::uint32_t>(std::stoul(argv[4])));
}
