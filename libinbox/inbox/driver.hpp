#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "inbox/dialect.hpp"
#include "inbox/trip.hpp"

namespace inbox {

/// How sessions are opened and bounded.
struct session_settings {
  /// Bound on opening a session, the login included.
  duration connect_timeout = 5s;
  /// Bound on one driver call; the session is broken off when it passes.
  duration statement_timeout = 30s;
  /// How long a write waits for somebody else's lock (SQLite).
  duration busy_timeout = 5s;
};

/// What one ad-hoc statement gave back.
struct execution {
  shared_rows rows;           ///< Never null; empty without a result.
  std::uint64_t affected = 0; ///< Rows inserted, updated or deleted.
};

/// One database connection. Used by one thread at a time, which may block in
/// each call up to the statement time-out; `interrupt` alone may be called
/// from any thread at any time.
class connection {
public:
  virtual ~connection() = default;

  /// Connects and logs in.
  /// @returns `errc::connect` or `errc::login_refused`; never a credential.
  virtual expected<server_facts> open() = 0;

  /// Prepares every statement, and so checks tables, columns and types.
  /// @returns `errc::schema` naming table and statement (C-103).
  virtual expected<void> prepare(const shared_statements& statements) = 0;

  /// Runs one trip. Every part gets exactly one result, also when the session
  /// is lost on the way.
  /// @param now the instant bound as now; a lease starts from it.
  virtual trip_result run(const trip& request, time_point now) = 0;

  /// Runs one statement with these values, one for each placeholder.
  virtual expected<execution>
  execute(std::string_view text, std::span<const value> values) = 0;

  virtual expected<void> begin() = 0;
  /// @returns `errc::outcome_unknown` when the session ended in the commit.
  virtual expected<void> commit() = 0;
  virtual void roll_back() noexcept = 0;

  /// The database's clock; for the skew check and for `doctor`.
  virtual expected<time_point> clock() = 0;

  /// True from the moment the session is known to be unusable.
  virtual bool is_lost() const noexcept = 0;

  /// True when the database has closed its end of the session, as far as this
  /// host knows. Asks the database nothing; any thread, while no call is under
  /// way.
  virtual bool has_ended() const noexcept { return is_lost(); }

  /// Ends a call under way as soon as possible and makes the session
  /// unusable. Any thread.
  virtual void interrupt() noexcept = 0;
};

/// Told by the database: there are new rows.
struct notification {
  std::string channel; ///< which table's, see `dialect::channel`
  std::string payload; ///< their group; empty for any
};

/// A connection of its own that hears of new rows. One thread, `interrupt`
/// from any. Once a call has failed it is of no more use.
class listener {
public:
  virtual ~listener() = default;

  /// Connects and listens.
  virtual expected<void> open(std::span<const std::string> channels) = 0;

  /// What came within that time. When nothing did, the server has shown that
  /// it is alive.
  virtual expected<std::vector<notification>> wait(duration at_most) = 0;

  /// Ends a call under way as soon as possible. Any thread.
  virtual void interrupt() noexcept = 0;
};

/// A database that can be reached: where it is, how it speaks, how its
/// sessions open. Immutable; any thread.
class database {
public:
  virtual ~database() = default;

  virtual const dialect& speaks() const noexcept = 0;

  /// A connection that is not open yet.
  virtual std::unique_ptr<connection> connect() const = 0;

  /// A listener that is not open yet; null where the database tells of
  /// nothing.
  virtual std::unique_ptr<listener> listen() const { return nullptr; }

  /// "postgres at db:5432", "sqlite": no user, password or path (C-117).
  virtual const std::string& description() const noexcept = 0;

  /// True when one session at a time does all the writing (SQLite).
  virtual bool has_one_writer() const noexcept { return false; }
};

using shared_database = std::shared_ptr<const database>;

/// A database and how many sessions to keep with it. What a service is built
/// over; made by `postgres::pool`, `sqlite::pool` or `any::pool`.
struct pool {
  /// The database, or why the URL names none.
  expected<shared_database> to;
  /// Sessions at most; 2 or more, so that one stays free for settling.
  std::uint32_t size = 8;
  /// Announce rows this process enqueues, and wake queues when another one
  /// announces (Postgres' LISTEN and NOTIFY). The poll goes on beside it. Off
  /// by default: announcing costs each commit a lock that all of the server's
  /// share.
  bool listen_notify = false;
};

} // namespace inbox
