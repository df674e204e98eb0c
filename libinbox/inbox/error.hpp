#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace inbox {

/// What went wrong. Each code has one cause; callers branch on the code or on
/// the questions `failure` answers, never on message text.
enum class errc : std::uint8_t {
  // -- a description or a setting is wrong (found before any row is touched) --
  invalid_description, ///< The table's description breaks a rule.
  invalid_setting,     ///< A setting has a value that is not allowed.
  invalid_config,      ///< The configuration file cannot be read or parsed.
  unknown_queue,       ///< No queue of that name is configured.
  declaration,         ///< `max_attempts` and `dead_letter` do not fit.
  form_mismatch,       ///< A statement was asked for in another form.
  unsupported_form,    ///< The database cannot keep the table's form.
  unsupported_opening, ///< The database has no such isolation level or mode.
  unsupported_fifo,    ///< FIFO groups are not served here.
  lease_on_database_clock, ///< A lease reads the host's clock.
  missing_role,            ///< A statement needs a role no column plays.
  identifier_too_long,     ///< A name is longer than the database keeps.
  // -- start ----------------------------------------------------------------
  unknown_database,   ///< The URL names no database served here.
  connect,            ///< The database could not be reached.
  login_refused,      ///< The database refused user, password or name.
  server_too_old,     ///< The server lacks what the statements need.
  schema,             ///< The database lacks a table, column or type used.
  already_subscribed, ///< The queue is served by this service already.
  clock_skew,         ///< Host and database clocks differ too much.
  // -- statements -----------------------------------------------------------
  statement,          ///< The database refused a statement.
  constraint,         ///< A write broke a constraint of the table.
  conflict,           ///< Serialization failure or deadlock; may be retried.
  busy,               ///< Somebody else holds the lock the write needs.
  full,               ///< The database has no room left.
  read_only,          ///< The server takes no writes now.
  timed_out,          ///< The statement did not end within its time.
  connection_lost,    ///< The session ended; its statement had no effect.
  outcome_unknown,    ///< The session ended while a commit was under way.
  no_session,         ///< No session of the pool came free in time.
  too_large,          ///< A value is larger than the database takes.
  would_block_itself, ///< The write waits for its own delivery's lock.
  // -- deliveries -----------------------------------------------------------
  null_in_role,   ///< A column that may not be NULL here is NULL.
  wrong_type,     ///< A column's value does not convert to its role.
  undecodable,    ///< The payload or the headers do not decode.
  handler_failed, ///< An exception left the handler.
  lease_lost,     ///< Another claim holds the row, or it is gone.
  closed,         ///< The service has stopped.
};

/// The code as it is written in the source, for logs and tests.
std::string_view to_string(errc code) noexcept;

/// An error as a value: what happened, where, and what to do about it. The
/// text never holds a credential. Copyable; not shared between threads while
/// it is changed.
class failure {
public:
  /// @param message one sentence on what happened and what to do.
  failure(errc code, std::string message);

  errc code() const noexcept { return code_; }

  /// What happened and what to do, without where.
  const std::string& message() const noexcept { return message_; }

  /// The subscription concerned; empty when none is.
  const std::string& subscription() const noexcept { return subscription_; }

  /// The qualified table concerned; empty when none is.
  const std::string& table() const noexcept { return table_; }

  /// The statement's text or the event it belongs to; empty when none is.
  const std::string& statement() const noexcept { return statement_; }

  /// SQLSTATE or the driver's own number; empty when the error is ours.
  const std::string& native() const noexcept { return native_; }

  // Each fills in one part and keeps a part that is known already, so that the
  // place nearest to the fault names it best.
  failure&& in_subscription(std::string_view name) &&;
  failure&& on_table(std::string_view qualified) &&;
  failure&& at(std::string_view statement_or_event) &&;
  failure&& with_native(std::string_view code) &&;

  /// True when the same call may succeed later without anybody's help.
  bool is_retryable() const noexcept;

  /// True when the session that reported it cannot be used any more.
  bool is_session_lost() const noexcept;

  /// True when the database may or may not have committed.
  bool is_outcome_unknown() const noexcept;

  /// One line: subscription, table, statement, message, native code.
  std::string to_string() const;

  friend bool operator==(const failure&, const failure&) = default;

private:
  errc code_;
  std::string message_;
  std::string subscription_;
  std::string table_;
  std::string statement_;
  std::string native_;
};

std::ostream& operator<<(std::ostream& out, const failure& what);

/// A value or the failure that stands in its place.
template <class T>
using expected = tl::expected<T, failure>;

/// Shorthand for returning a failure from a function that returns `expected`.
inline tl::unexpected<failure> refuse(errc code, std::string message) {
  return tl::make_unexpected(failure{code, std::move(message)});
}

} // namespace inbox
