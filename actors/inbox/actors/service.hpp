#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <caf/fwd.hpp>

#include "inbox/describe/new_rows.hpp"
#include "inbox/driver.hpp"
#include "inbox/handler_adapt.hpp"
#include "inbox/log.hpp"

namespace inbox {

/// How a service runs. Plain data.
struct service_settings {
  /// Receives what is worth telling; without one, warnings and errors go to
  /// stderr.
  log_sink log;
  /// Where "now" comes from.
  clock_source clock = host_now;
  /// At start, wait for a database that cannot be reached.
  bool wait_for_database = false;
  /// How long a handler that was asked to end at the drain time-out has left
  /// before it is abandoned and its row given back.
  duration drain_grace = 3s;
};

/// What a queue has done since its start, and what it holds.
struct queue_snapshot {
  std::string name;
  std::uint64_t claimed = 0; ///< rows taken
  std::uint64_t acked = 0;
  std::uint64_t retried = 0; ///< at once or later
  std::uint64_t dropped = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t given_back = 0; ///< claimed ahead and never started
  std::uint64_t lost = 0;       ///< settled too late
  std::uint64_t failed = 0;     ///< handler calls that failed
  std::uint64_t undecodable = 0;
  std::uint64_t claims = 0;
  std::uint64_t empty_claims = 0;
  std::uint64_t failed_claims = 0;
  std::uint32_t in_work = 0;     ///< rows the handlers have
  std::uint32_t held = 0;        ///< rows claimed and not settled yet
  duration extension_lateness{}; ///< worst since the start
};

struct service_snapshot {
  std::vector<queue_snapshot> queues;
  std::uint32_t sessions_open = 0;
  std::uint64_t sessions_lost = 0;
  duration clock_skew{}; ///< host minus database, at start
  /// Hearing of new rows as they are announced; false where the pool does not
  /// listen.
  bool listener_connected = false;
};

/// Serves queues of one database: claims due rows, runs handlers, settles.
///
/// Built over a pool, inside a host's actor system or with one of its own.
/// Functions run on threads of the service, never on CAF's. `drain`, `wake`
/// and `snapshot` may be called from any thread, the rest from one.
class service {
public:
  explicit service(pool over, service_settings settings = {});
  service(caf::actor_system& host, pool over, service_settings settings = {});
  service(service&&) noexcept;
  service& operator=(service&&) noexcept;
  /// Stops, as `stop` does.
  ~service();

  /// Serves one queue with a handler. Refusals are kept for `start`.
  service& serve(subscription queue, handler with);

  /// Serves one queue with a handler that takes up to
  /// `subscription_settings::batch` rows in one call.
  service& serve(subscription queue, batch_handler with);

  /// The same for a queue that may have been refused already.
  service& serve(expected<subscription> queue, handler with);
  service& serve(expected<subscription> queue, batch_handler with);

  /// Serves one queue of a described struct's table with a function (see
  /// `adapt`): `serve<send_email>("emails", send, {.workers = 4})`.
  template <described Row, class F>
  service& serve(std::string name, F with, subscription_settings how = {}) {
    auto queue = to_table<Row>().map([&name, &how](table t) {
      return subscription{std::move(name), std::move(t), std::move(how)};
    });
    return serve(std::move(queue), adapt(std::move(with)));
  }

  /// Serves one queue with an actor of the host's, local or remote, that
  /// answers an `inbox::message` with an `inbox::outcome`.
  service& serve(subscription queue, const caf::actor& with);

  /// Opens the database, checks every subscription and starts claiming.
  /// @returns the first refusal; then nothing runs.
  expected<void> start();

  /// `start`, then serves until `drain` is called or the service ends by
  /// itself, then `stop`. A service with its own actor system also drains at
  /// SIGINT and SIGTERM, at the second one at once.
  expected<void> run();

  /// Claims nothing more and lets handlers finish; returns at once.
  /// @param at_once as if the drain time-out had passed already.
  void drain(bool at_once = false);

  /// Drains, waits for the handlers up to their drain time-out, gives back
  /// what is left and closes every session. Idempotent.
  /// @returns why the service stopped by itself, if it did (`fail_fast`).
  expected<void> stop();

  /// Waits until somebody drains the service or it has ended by itself, at
  /// most for `at_most`. @returns true when it drains or has ended.
  bool wait(duration at_most);

  /// Adds a row to a queue this service serves, and wakes it once the row is
  /// committed. Never tried twice.
  /// @returns its id; `errc::outcome_unknown` when the session ended in the
  ///          commit, and the row may be there or not.
  expected<value> enqueue(std::string_view queue, const new_row& row);

  /// The same for a described struct of the queue's table.
  template <described Row>
  expected<value> enqueue(std::string_view queue, const Row& row) {
    return enqueue_many(queue, std::span<const Row>{&row, 1})
      .map([](std::vector<value> ids) { return std::move(ids.front()); });
  }

  /// Adds rows to a queue this service serves, all or none, and wakes it once
  /// they are committed. Never tried twice.
  /// @returns the new rows' ids, in the order of `rows`; as `enqueue`.
  expected<std::vector<value>> enqueue_many(std::string_view queue,
                                            std::span<const new_row> rows);

  /// The same for described structs of the queue's table.
  template <described_rows Rows>
  expected<std::vector<value>> enqueue_many(std::string_view queue,
                                            const Rows& rows) {
    using row = std::ranges::range_value_t<Rows>;
    return to_table<row>().and_then([&](const table& to) {
      return enqueue_into(queue, to, rows_of(std::span<const row>{rows}));
    });
  }

  /// Looks for rows of that queue now, ahead of the poll; every queue for "".
  void wake(std::string_view queue = {});

  /// Runs `work` on a session of the pool, on that session's thread, and
  /// waits for it.
  /// @returns `errc::no_session` when none comes free within `at_most`.
  expected<void> with_session(std::function<expected<void>(connection&)> work,
                              duration at_most = 30s);

  service_snapshot snapshot() const;

private:
  expected<std::vector<value>>
  enqueue_into(std::string_view queue, const table& to, const new_rows& rows);

  class body;
  std::unique_ptr<body> body_;
};

} // namespace inbox
