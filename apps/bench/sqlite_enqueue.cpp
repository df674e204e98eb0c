#include <SQLiteCpp/SQLiteCpp.h>

#include "databases.hpp"
#include "enqueue.hpp"
#include "inbox/sqlite/enqueue.hpp"
#include "inbox/sqlite/pool.hpp"
#include "jobs.hpp"
#include "sqlite_file.hpp"

namespace bench {

namespace {

/// One prepared insert of bare sqlite3, again and again.
inbox::expected<void> add_by_loop(const std::string& file, std::size_t at_once,
                                  stopwatch& watch, tally& rows) {
  auto on = sqlite_file::open(file);
  if (!on)
    return tl::make_unexpected(on.error());
  auto insert = on->prepare(
    "INSERT INTO " + std::string{table_name}
    + " (name, retry_after, payload, locked_until) VALUES (?, ?, ?, NULL) "
      "RETURNING id");
  auto begin = on->prepare("BEGIN IMMEDIATE");
  auto commit = on->prepare("COMMIT");
  if (!insert || !begin || !commit)
    return on->failed();
  const std::string payload(payload_size, 'x');
  const auto add = [&](std::size_t count) -> inbox::expected<ids> {
    ids added;
    const auto due = inbox::to_sql_text(inbox::host_now());
    auto good = begin->step() == SQLITE_DONE;
    begin->reset();
    for (std::size_t i = 0; good && i < count; ++i) {
      insert->bind(1, group_name);
      insert->bind(2, due);
      insert->bind(3, payload);
      good = insert->step() == SQLITE_ROW;
      added.push_back(insert->integer_at(0));
      good = good && insert->step() == SQLITE_DONE;
      insert->reset();
    }
    good = good && commit->step() == SQLITE_DONE;
    commit->reset();
    if (!good)
      return on->failed();
    return added;
  };
  return add_all(at_once, add, watch, rows);
}

/// In transactions of SQLiteCpp's, as a producer's own.
inbox::expected<void> add_by_caller(const std::string& file,
                                    std::size_t at_once, stopwatch& watch,
                                    tally& rows) {
  auto queue = jobs({});
  if (!queue)
    return tl::make_unexpected(queue.error());
  SQLite::Database on{file, SQLite::OPEN_READWRITE};
  const auto add = [&](std::size_t count) {
    SQLite::Transaction tx{on};
    const auto all = new_rows(count);
    auto added = count == 1
                   ? inbox::sqlite::enqueue(on, *queue, all[0])
                       .map([](const inbox::value& id) { return to_ids({id}); })
                   : inbox::sqlite::enqueue_many(on, *queue, all).map(to_ids);
    tx.commit();
    return added;
  };
  return add_all(at_once, add, watch, rows);
}

} // namespace

std::vector<scenario> sqlite_enqueue_scenarios(std::shared_ptr<stage> on,
                                               const std::string& file) {
  std::vector<scenario> all;
  for (const std::size_t n : {1, 100, 10'000}) {
    const subject raw{"prepared", 1, [=](stopwatch& watch, tally& rows) {
                        return add_by_loop(file, n, watch, rows);
                      }};
    const subject caller{"inbox", 1, [=](stopwatch& watch, tally& rows) {
                           return add_by_caller(file, n, watch, rows);
                         }};
    const auto over = inbox::sqlite::pool(file, {.size = 2, .wal = true});
    const auto ending = ".n" + std::to_string(n);
    all.push_back({"sqlite.enqueue.service" + ending,
                   emptied(on),
                   {by_service(over, n), raw},
                   n == 1});
    all.push_back(
      {"sqlite.enqueue.caller" + ending, emptied(on), {caller, raw}, n == 1});
  }
  return all;
}

} // namespace bench
