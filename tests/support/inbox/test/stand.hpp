#pragma once

// A queue table of a test's own in a real database, and services that serve
// it. Included after CAF_SUITE is named.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "inbox/actors/service.hpp"
#include "inbox/test/calls.hpp"
#include "inbox/test/raw_database.hpp"

namespace inbox::test {

/// What a table has beside its id, its payload and, in the lease form, its
/// lease.
struct shape {
  bool group = true;
  bool priority = false;
  bool retry_after = true;
  bool attempt = true;
  bool processed_at = false;
  bool headers = false;
};

/// A row to put into a table by hand.
struct job {
  std::string payload = "x";
  std::optional<std::string> group = "emails";
  std::optional<std::int64_t> id = {};
  std::optional<std::int64_t> priority = {};
  std::optional<std::int64_t> attempt = {};
  std::optional<std::string> headers = {};
  std::optional<duration> due_in = {};
  std::optional<duration> leased_for = {};
};

/// A row as it lies in its table.
struct stored {
  std::int64_t id = 0;
  std::optional<std::string> group;
  std::optional<std::int64_t> attempt;
  std::optional<time_point> due;
  std::optional<time_point> locked_until;
  std::optional<time_point> processed_at;
};

/// One test's place: a schema or a file, the table `jobs` in it with an audit
/// trigger, and what serves it. Everything goes with it. Used by one thread.
class stand {
public:
  /// @param server instead of the tests' own (Postgres).
  explicit stand(cell where, shape has = {}, std::string server = {});
  ~stand();

  cell where() const { return where_; }
  bool is_lease() const { return test::is_lease(where_); }
  bool is_postgres() const { return test::is_postgres(where_); }
  /// A client beside the services.
  raw_database& db() { return *db_; }
  /// A new client in its place, after the server went away.
  void reconnect() { db_ = client(); }
  /// One more, for another thread or a lock that is kept.
  std::unique_ptr<raw_database> client(duration busy = 30s) const;

  /// The database's URL, as a process of its own takes it.
  const std::string& address() const { return url_; }
  /// The path of the SQLite file.
  std::string file() const { return place_ + "/queue.db"; }
  /// The name the services' sessions give themselves (Postgres).
  const std::string& application() const { return place_; }
  /// Ends the services' sessions as an operator would (Postgres).
  void cut_sessions();

  // -- tables and rows ------------------------------------------------------

  /// Another table with its audit trigger.
  void create(const std::string& table, shape has);
  /// The table's name as SQL takes it.
  std::string name(const std::string& table = "jobs") const;
  /// @returns the new row's id.
  std::int64_t add(const job& j = {}, const std::string& table = "jobs");
  /// Many rows of the queue "emails" in one transaction; `columns` and
  /// `values` begin with a comma.
  void add_many(int rows, const std::string& columns = "",
                const std::string& values = "");
  std::vector<stored> rows(const std::string& table = "jobs");
  /// The row; nothing when there is none.
  std::optional<stored> find(std::int64_t id,
                             const std::string& table = "jobs");
  std::int64_t count(const std::string& table = "jobs");
  /// Times the audit trigger saw that row end; all rows for none.
  std::int64_t settlements(std::optional<std::int64_t> id = {},
                           const std::string& table = "jobs");

  /// Until `let_end` the database refuses to delete that row.
  void keep_from_ending(std::int64_t id);
  void let_end();

  // -- services ---------------------------------------------------------------

  /// How the queue `name` is served; a lease is left out where there is none.
  subscription queue(subscription_settings how = {},
                     const std::string& name = "emails",
                     const std::string& table = "jobs") const;

  /// How the next services are made.
  std::uint32_t sessions = 8;
  /// Server settings of their sessions, "name=value" (Postgres).
  std::vector<std::string> session_options;
  service_settings how_served;
  session_settings how_connected;
  bool listen_notify = false;
  /// Instead of the stand's own server (Postgres).
  std::optional<std::string> other_url;

  pool make_pool() const;
  /// A service that is not started, kept until the test ends.
  service& make_service();
  service& make_service(pool over);
  /// Serves a queue; the test fails where that is refused.
  service& serve(subscription q, handler with);
  service& serve(subscription q, batch_handler with);
  /// @returns the refusal of a service that serves it.
  failure refusal_of(subscription q);
  /// The figures of the one queue a service serves.
  static queue_snapshot figures(const service& of, std::size_t nth = 0) {
    return of.snapshot().queues.at(nth);
  }
  /// Ends a service before the test does.
  void stop(service& which);

  /// What was logged at `least` or above and contains `part`.
  std::size_t logged(std::string_view part,
                     log_level least = log_level::debug) const;
  std::string whole_log() const;

  /// Waits for a condition, half a minute at most. Throws then, with the log.
  template <class Condition>
  void until(Condition holds, const char* what) {
    for (int round = 0; !holds(); ++round)
      give_up_after(round, what);
  }

private:
  void give_up_after(int round, const char* what);
  table described(const std::string& table) const;
  std::string url() const;
  void audit(const std::string& table, const shape& has);

  cell where_;
  std::size_t bad_before_; ///< failed checks before this stand
  std::string place_;      ///< schema, or directory of the file
  std::string url_;
  std::map<std::string, shape> tables_;
  std::unique_ptr<raw_database> db_;
  std::vector<std::unique_ptr<service>> services_;
  std::vector<log_entry> log_;
  mutable std::mutex log_mutex_;
};

#define INBOX_UNTIL(place, ...)                                                \
  (place).until([&] { return __VA_ARGS__; }, #__VA_ARGS__)

/// An exception that left a test would end the program with whatever the test
/// has started still running.
#define INBOX_GUARDED(...)                                                     \
  try {                                                                        \
    __VA_ARGS__;                                                               \
  } catch (const std::exception& e) {                                          \
    CAF_ERROR(e.what());                                                       \
  }

} // namespace inbox::test
