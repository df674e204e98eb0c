#pragma once

// What sessions, their pool and their borrowers say to one another.

#include <functional>
#include <optional>
#include <vector>

#include "inbox/actors/caf.hpp"
#include "inbox/actors/crew.hpp"
#include "inbox/actors/permit.hpp"
#include "inbox/driver.hpp"
#include "inbox/session_book.hpp"

namespace inbox::actors {

/// The rows of one claim, from the session that took them. They come one-way:
/// an answer can be dropped, and must never be the only owner of rows.
struct arrived {
  using local = void;
  claimed_rows rows;
  instant since; ///< steady time when the claim read its clock
  /// In the row lock form, whose rows stay with their connection.
  std::optional<permit> with{};
};

/// Whoever takes rows: the supervisor.
using row_sink = interface<caf::result<void>(arrived)>;

/// What a trip's sender hears when it is over.
struct trip_done {
  using local = void;
  loan_number loan = 0;
  std::vector<settlement> ends;
  std::vector<extension> extended;
  std::vector<settlement> read_back;
  trip_result result; ///< the claim's rows went to the sink already
  std::optional<claim_order> claim;
  std::uint32_t claim_asked = 0;
  std::uint32_t claim_rows = 0;
  std::optional<time_point> first_due; ///< of the claim's rows
  instant since; ///< steady time when the trip read its clock
};

/// A session is lent; see `loan_number`.
struct lent;

/// No session can be had now.
struct not_lent {
  using local = void;
  std::uint64_t ticket = 0;
  failure why;
};

/// Whoever borrows sessions and sends trips.
using borrower = interface<caf::result<void>(lent), caf::result<void>(not_lent),
                           caf::result<void>(trip_done)>;

/// One trip to run. Rows go to `sink`, the rest to `asks`.
struct run_trip {
  using local = void;
  loan_number loan = 0;
  trip request;
  borrower asks;
  row_sink sink;
};

/// Work of somebody's own on a session; called exactly once, with the
/// connection or with why there is none.
using session_job = std::function<void(connection*, const failure*)>;

struct run_job {
  using local = void;
  loan_number loan = 0;
  session_job job;
};

/// Connect and log in.
struct open_session {
  using local = void;
};

/// Close the connection and end.
struct close_session {
  using local = void;
};

/// One database connection on its own thread: the only actor that blocks.
using session
  = interface<caf::result<void>(open_session), caf::result<void>(run_trip),
              caf::result<void>(run_job), caf::result<void>(close_session)>;

struct lent {
  using local = void;
  std::uint64_t ticket = 0; ///< the borrower's
  loan_number loan = 0;
  session on;
};

/// Asks for a session. `ticket` is the borrower's own number.
struct borrow {
  using local = void;
  std::uint64_t ticket = 0;
  loan_purpose purpose = loan_purpose::other;
  borrower asks;
};

/// Withdraws a request; answered with `not_lent` unless it is lent already.
struct withdraw {
  using local = void;
  std::uint64_t ticket = 0;
  borrower asks;
};

/// Ends a loan. A session that is not usable is closed and replaced.
struct give_back {
  using local = void;
  loan_number loan = 0;
  bool usable = true;
};

/// Work to run on any session.
struct do_job {
  using local = void;
  session_job job;
};

/// From a session to its pool: connected, or not.
struct session_opened {
  using local = void;
  std::uint32_t slot = 0;
  std::uint64_t generation = 0;
  expected<server_facts> facts;
};

/// The pool's own timer.
struct pool_tick {
  using local = void;
};

/// Close every session, refuse every request, end.
struct close_pool {
  using local = void;
};

/// Lends sessions, opens, closes and replaces them.
using session_pool
  = interface<caf::result<void>(borrow), caf::result<void>(withdraw),
              caf::result<void>(give_back), caf::result<void>(do_job),
              caf::result<void>(session_opened), caf::result<void>(pool_tick),
              caf::result<void>(close_pool)>;

/// The part of the pool that a session sees.
using session_owner
  = interface<caf::result<void>(session_opened), caf::result<void>(give_back)>;

} // namespace inbox::actors
