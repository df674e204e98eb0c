#include <pqxx/pqxx>

#include "databases.hpp"
#include "enqueue.hpp"
#include "inbox/postgres/enqueue.hpp"
#include "inbox/postgres/pool.hpp"
#include "jobs.hpp"
#include "postgres_link.hpp"

namespace bench {

namespace {

/// Rows in one insert of the raw loop; more are no faster.
constexpr std::size_t most_values = 100;

std::string insert_of(std::size_t rows) {
  std::string text = "INSERT INTO " + std::string{table_name}
                     + " (name, retry_after, payload, locked_until) VALUES ";
  for (std::size_t i = 0; i < rows; ++i) {
    text += i == 0 ? "(" : ", (";
    for (std::size_t n = 4 * i + 1; n <= 4 * i + 4; ++n)
      text += (n % 4 == 1 ? "$" : ", $") + std::to_string(n);
    text += ')';
  }
  return text + " RETURNING id";
}

/// Inserts of bare libpq; each by itself, or within transactions.
class raw_producer {
public:
  static inbox::expected<raw_producer>
  open(const std::string& url, std::size_t at_once, bool in_transaction) {
    auto on = pg_link::open(url);
    if (!on)
      return tl::make_unexpected(on.error());
    const auto rows = std::min(at_once, most_values);
    return on->prepare("one", insert_of(1))
      .and_then([&] { return on->prepare("several", insert_of(rows)); })
      .map([&] {
        return raw_producer{std::move(*on), rows,
                            in_transaction || at_once > rows};
      });
  }

  inbox::expected<ids> add(std::size_t rows) {
    ids added;
    if (in_transaction_)
      if (auto begun = on_.run("BEGIN"); !begun)
        return tl::make_unexpected(begun.error());
    while (added.size() < rows)
      if (auto done = insert(rows - added.size(), added); !done)
        return tl::make_unexpected(done.error());
    if (in_transaction_)
      if (auto done = on_.run("COMMIT"); !done)
        return tl::make_unexpected(done.error());
    return added;
  }

private:
  raw_producer(pg_link on, std::size_t rows, bool in_transaction)
    : on_{std::move(on)}, rows_{rows}, in_transaction_{in_transaction} {}

  inbox::expected<void> insert(std::size_t left, ids& added) {
    const auto rows = left < rows_ ? 1 : rows_;
    const auto due = inbox::to_rfc3339(inbox::host_now());
    const std::string payload(payload_size, 'x');
    std::vector<const char*> values;
    for (std::size_t i = 0; i < rows; ++i)
      values.insert(values.end(),
                    {group_name.data(), due.c_str(), payload.c_str(), nullptr});
    return on_.run_prepared(rows == 1 ? "one" : "several", values)
      .map([&](const pg_result& r) {
        for (int i = 0; i < PQntuples(r.get()); ++i)
          added.push_back(integer_at(r, i, 0));
      });
  }

  pg_link on_;
  std::size_t rows_;
  bool in_transaction_;
};

inbox::expected<void> add_by_loop(const std::string& url, std::size_t at_once,
                                  bool in_transaction, stopwatch& watch,
                                  tally& rows) {
  auto by = raw_producer::open(url, at_once, in_transaction);
  if (!by)
    return tl::make_unexpected(by.error());
  return add_all(
    at_once, [&](std::size_t count) { return by->add(count); }, watch, rows);
}

/// In transactions of libpqxx's, as a producer's own.
inbox::expected<void> add_by_caller(const std::string& url, std::size_t at_once,
                                    stopwatch& watch, tally& rows) {
  auto queue = jobs({});
  if (!queue)
    return tl::make_unexpected(queue.error());
  pqxx::connection on{url};
  const auto add = [&](std::size_t count) {
    pqxx::work tx{on};
    const auto all = new_rows(count);
    auto added = count == 1
                   ? inbox::postgres::enqueue(tx, *queue, all[0])
                       .map([](const inbox::value& id) { return to_ids({id}); })
                   : inbox::postgres::enqueue_many(tx, *queue, all).map(to_ids);
    tx.commit();
    return added;
  };
  return add_all(at_once, add, watch, rows);
}

} // namespace

std::vector<scenario> postgres_enqueue_scenarios(std::shared_ptr<stage> on,
                                                 const std::string& url) {
  std::vector<scenario> all;
  for (const std::size_t n : {1, 100, 10'000}) {
    const auto raw = [=](bool in_transaction) {
      return subject{"values", 1, [=](stopwatch& watch, tally& rows) {
                       return add_by_loop(url, n, in_transaction, watch, rows);
                     }};
    };
    const subject caller{"inbox", 1, [=](stopwatch& watch, tally& rows) {
                           return add_by_caller(url, n, watch, rows);
                         }};
    const auto ending = ".n" + std::to_string(n);
    all.push_back(
      {"postgres.enqueue.service" + ending,
       emptied(on),
       {by_service(inbox::postgres::pool(url, {.size = 2}), n), raw(false)},
       n == 1});
    all.push_back({"postgres.enqueue.caller" + ending,
                   emptied(on),
                   {caller, raw(true)},
                   n == 1});
  }
  return all;
}

} // namespace bench
