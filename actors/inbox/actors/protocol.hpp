#pragma once

// Every message and every actor interface of a running queue, in the order a
// row meets them. All of it stays within one process.

#include <memory>
#include <vector>

#include "inbox/actors/call_ends.hpp"
#include "inbox/actors/crew.hpp"
#include "inbox/actors/session_protocol.hpp"

namespace inbox::actors {

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
  std::optional<time_point> first_due{}; ///< see `low_mark`
};

/// A claim failed; its rows, if it locked any, are back in the table.
struct claim_failed {
  using local = void;
  claim_order order;
  failure why;
};

/// A worker claimed on its permit.
struct other_claim {
  using local = void;
  bool is_full = false;       ///< it got all the rows it asked for
  std::optional<failure> why; ///< it failed
};

/// Takes due rows of one table into work, never more than there is credit.
using claimer = interface<
  caf::result<void>(credit), caf::result<void>(wake), caf::result<void>(poll),
  caf::result<void>(drain), caf::result<void>(claimed),
  caf::result<void>(claim_failed), caf::result<void>(other_claim)>;

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

/// Handler calls ended; `call_ends` has them.
struct calls_ended {
  using local = void;
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
    gathered,      ///< take what ended, and help with what still waits
    aside,         ///< rows set aside may start
    due,           ///< delayed retries are due
    ceiling,       ///< give back what is beyond the prefetch
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
              caf::result<void>(calls_ended), caf::result<void>(settled_rows),
              caf::result<void>(leases_lost), caf::result<void>(supervise),
              caf::result<void>(drain_work)>;

// -- 3. the end of a delivery -------------------------------------------------

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
  std::shared_ptr<crew> workers;
  std::shared_ptr<call_ends> ends; ///< of their calls
};

// -- 4. the keepers -----------------------------------------------------------

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

/// The settler's own: what has come may leave now.
struct leave {
  using local = void;
};

/// Gathers settlements while the last trip runs; carries claims along.
using settler
  = interface<caf::result<void>(want), caf::result<void>(drain),
              caf::result<void>(settle_now), caf::result<void>(lent),
              caf::result<void>(not_lent), caf::result<void>(trip_done),
              caf::result<void>(tick), caf::result<void>(leave)>;

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
