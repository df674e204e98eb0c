#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "inbox/error.hpp"
#include "inbox/time.hpp"

namespace inbox::postgres {

struct clear_result {
  void operator()(PGresult* r) const noexcept { PQclear(r); }
};
using result_ptr = std::unique_ptr<PGresult, clear_result>;

/// The moment a wait gives up; steady, so that no clock change moves it.
using deadline = std::chrono::steady_clock::time_point;

deadline within(duration span) noexcept;

/// One PGconn whose every wait has an end: by the answer, at a deadline, or by
/// `interrupt` from another thread. Knows nothing of statements. One thread at
/// a time, `interrupt`, `is_lost` and `has_ended` from any.
///
/// Invariant: once a call has failed for want of an answer, the link is lost
/// for ever; it never connects a second time underneath its user (B73).
class link {
public:
  link();
  ~link();
  link(const link&) = delete;
  link& operator=(const link&) = delete;

  /// Connects and logs in. The system's resolver is not bounded by `until`.
  /// @param parameters names and values as libpq takes them; "dbname" may be
  ///        a whole URL.
  expected<void>
  open(const std::vector<std::pair<std::string, std::string>>& parameters,
       deadline until);

  /// What libpq works on; null before `open`. Stays ours.
  PGconn* raw() const noexcept { return conn_.get(); }

  /// Sends a text of one or more statements without parameters and waits for
  /// its last result.
  expected<result_ptr> run(const char* text, deadline until);

  /// The last result of what was sent, or the first refusal in it.
  expected<result_ptr> last(deadline until);

  /// The next result of what was sent; null at the end of a statement. A
  /// refused statement is a result, not a failure.
  expected<result_ptr> next(deadline until);

  /// Hands over to libpq what it has not sent yet.
  expected<void> flush(deadline until);

  /// Waits until the server sends something of its own accord.
  /// @returns false when nothing came by then.
  expected<bool> await_input(deadline until);

  /// Waits without talking to the server.
  /// @returns `errc::connection_lost` when interrupted.
  expected<void> pause(duration span);

  /// Marks the link as lost. Keeps the first reason.
  failure lose(failure why);

  bool is_lost() const noexcept { return is_lost_.load(); }

  /// True when the server has closed the connection while nothing went on.
  bool has_ended() const noexcept;
  /// Why it was lost, once it is.
  const std::optional<failure>& lost() const noexcept { return lost_; }

  /// Ends the server's work on the session and every wait, for good. Any
  /// thread.
  void interrupt() noexcept;

  /// Texts no message may show: the password in its forms.
  const std::vector<std::string>& secrets() const noexcept { return secrets_; }
  void hide(std::string secret) { secrets_.push_back(std::move(secret)); }

  /// What a refused statement says. Marks the link as lost when the refusal
  /// means that the session is of no more use (`failure::is_session_lost`).
  failure refused(const PGresult* result);

  /// A libpq call failed; says why and marks the link as lost.
  tl::unexpected<failure> broken();

private:
  struct finish {
    void operator()(PGconn* c) const noexcept { PQfinish(c); }
  };
  enum class woken { ready, late, interrupted };

  expected<void> log_in(deadline until);
  expected<void> receive(bool has_more_to_send, deadline until);
  woken wait(int fd, short events, deadline until) noexcept;
  tl::unexpected<failure> stopped(woken how);
  void publish_socket(int fd) noexcept;
  void cancel() noexcept;

  std::unique_ptr<PGconn, finish> conn_;
  std::vector<std::string> secrets_;
  std::optional<failure> lost_;
  std::atomic<bool> is_lost_{false};
  std::atomic<bool> interrupted_{false};
  int wake_ = -1; ///< an eventfd: what `interrupt` ends waits by

  // `interrupt` touches the socket only while it is known to be this link's:
  // a closed number may already be somebody else's file.
  mutable std::mutex guard_;
  int socket_ = -1;
  std::shared_ptr<PGcancel> cancel_;
};

} // namespace inbox::postgres
