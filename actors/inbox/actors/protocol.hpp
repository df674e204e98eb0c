#pragma once

// Every message and every actor interface of a running service, in the order
// a row meets them. All of it stays within one process.

#include <functional>
#include <memory>
#include <vector>

#include "inbox/actors/caf.hpp"
#include "inbox/driver.hpp"
#include "inbox/handler.hpp"
#include "inbox/session_book.hpp"

namespace inbox::actors {

using instant = std::chrono::steady_clock::time_point;

// -- 1. demand: what the claimer hears --------------------------------------

/// That many more rows may be claimed.
struct credit {
  using local = void;
  std::uint32_t rows = 0;
};

/// A producer added a row: look now, ahead of the poll.
struct wake {
  using local = void;
};

/// The armed timer has passed. A stale one carries an old number.
struct poll {
  using local = void;
  std::uint64_t timer = 0;
};

/// Claim nothing more.
struct drain {
  using local = void;
};

/// A claim came back with so many rows; the rows themselves went to the
/// supervisor.
struct claimed {
  using local = void;
  claim_order order;
  std::uint32_t asked = 0;
  std::uint32_t rows = 0;
};

/// A claim failed; its rows, if it locked any, are back in the table.
struct claim_failed {
  using local = void;
  claim_order order;
  failure why;
};

/// Takes due rows of one table into work, never more than there is credit.
using claimer
  = interface<caf::result<void>(credit), caf::result<void>(wake),
              caf::result<void>(poll), caf::result<void>(drain),
              caf::result<void>(claimed), caf::result<void>(claim_failed)>;

/// A claim to make, and who waits for its count.
struct want {
  using local = void;
  claim_order order;
  claimer asks;
};

/// Whoever carries claims to the database: the settler, or the row lock
/// keeper.
using claim_carrier
  = interface<caf::result<void>(want), caf::result<void>(drain)>;

// -- 2. rows: what the supervisor hears --------------------------------------

/// The rows of one claim, from the session that took them. They come one-way:
/// an answer can be dropped, and must never be the only owner of rows.
struct arrived {
  using local = void;
  claimed_rows rows;
  instant since; ///< steady time when the claim read its clock
};

/// A handler call ended.
struct worked {
  using local = void;
  std::uint32_t worker = 0;
  delivery_number delivery = 0;
  handled answer;
};

/// Settlements came back, each with its event.
struct settled_rows {
  using local = void;
  std::vector<settlement> ends;
  std::vector<settled> results; ///< one for each, in the same order
};

/// Deliveries whose lease ended or was taken over while their handler runs.
struct leases_lost {
  using local = void;
  std::vector<delivery_number> deliveries;
};

/// The supervisor's own timer; `stage` says what it was armed for.
struct supervise {
  using local = void;
  enum class stage : std::uint8_t {
    timeouts,      ///< look for handlers that run too long
    aside,         ///< rows set aside may start
    due,           ///< delayed retries are due
    drain_timeout, ///< ask the handlers to end
    grace,         ///< abandon those that did not
  } what;
};

/// Stop claiming, finish what runs, settle, end. `at_once` as if the drain
/// time-out had passed already.
struct drain_work {
  using local = void;
  bool at_once = false;
};

/// Where the supervisor's deliveries come from, and who works on them; sent
/// once, since these actors know the supervisor themselves.
struct begin;

/// Owns the deliveries in work and the workers.
using supervisor
  = interface<caf::result<void>(begin), caf::result<void>(arrived),
              caf::result<void>(worked), caf::result<void>(settled_rows),
              caf::result<void>(leases_lost), caf::result<void>(supervise),
              caf::result<void>(drain_work)>;

/// The part of the supervisor that a session sees.
using row_sink = interface<caf::result<void>(arrived)>;

// -- 3. work ------------------------------------------------------------------

/// One delivery to run, and how to stop it.
struct work {
  using local = void;
  delivery row;
  std::shared_ptr<stop_signal> signal;
};

/// Stands in front of one handler: a thread of the service, or an actor. One
/// call at a time; answers `worked` to its supervisor.
using worker = interface<caf::result<void>(work)>;

// -- 4. the end of a delivery -------------------------------------------------

/// A delivery that starts to be held.
struct held_row {
  delivery_number delivery = 0;
  value id;
  std::optional<token> held;
};

/// The deliveries of one claim, before any of them can end. An empty list
/// ends a claim whose rows cannot be delivered.
struct hold {
  using local = void;
  std::uint64_t claim = 0;
  std::vector<held_row> rows;
  instant since;
};

/// Deliveries that end, tokens not filled in.
struct finish {
  using local = void;
  std::vector<settlement> ends;
};

/// Whoever keeps deliveries ours: the leaseholder, or the row lock keeper.
using holder = interface<caf::result<void>(hold), caf::result<void>(finish)>;

/// Where deliveries come from and go back to. The SQL subscription is one;
/// policies, workers and caps see nothing else of it.
struct delivery_source {
  claimer demand;
  holder keeper;
};

struct begin {
  using local = void;
  delivery_source source;
  std::vector<worker> workers;
};

// -- 5. sessions and trips ----------------------------------------------------

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

// -- 6. the keepers -----------------------------------------------------------

/// Settlements ready to be written, tokens filled in.
struct settle_now {
  using local = void;
  std::vector<settlement> ends;
};

/// The keeper's own timer.
struct tick {
  using local = void;
  std::uint64_t timer = 0;
};

/// Gathers settlements while the last trip runs; carries claims along.
using settler
  = interface<caf::result<void>(want), caf::result<void>(drain),
              caf::result<void>(settle_now), caf::result<void>(lent),
              caf::result<void>(not_lent), caf::result<void>(trip_done),
              caf::result<void>(tick)>;

/// The only owner of tokens; extends them.
using leaseholder
  = interface<caf::result<void>(hold), caf::result<void>(finish),
              caf::result<void>(lent), caf::result<void>(not_lent),
              caf::result<void>(trip_done), caf::result<void>(tick)>;

/// Keeps the sessions whose open transactions hold rows; claims and settles
/// on them.
using row_lock_keeper = interface<
  caf::result<void>(want), caf::result<void>(drain), caf::result<void>(hold),
  caf::result<void>(finish), caf::result<void>(lent),
  caf::result<void>(not_lent), caf::result<void>(trip_done)>;

} // namespace inbox::actors
