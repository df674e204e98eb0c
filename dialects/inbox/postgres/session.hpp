#pragma once

#include <random>

#include "inbox/driver.hpp"
#include "inbox/postgres/pipeline.hpp"

namespace inbox::postgres {

/// What running a trip needs of its session. One thread.
struct session {
  link on;
  prepared_statements statements{on};
  session_settings settings;
  std::minstd_rand random{std::random_device{}()};

  bool in_transaction() const noexcept {
    return on.raw() && PQtransactionStatus(on.raw()) != PQTRANS_IDLE;
  }
  deadline until() const { return within(settings.statement_timeout); }

  /// The prepared form of a text, prepared now if it is not yet.
  expected<const prepared*> known(std::string_view text);
};

/// How often and how long one trip tries again what the server gave up for
/// the sake of others (B11, B33): a few times, with growing pauses, then no
/// more, whatever its parts.
class second_chances {
public:
  explicit second_chances(session& on) : on_{on} {}

  /// Whether a refused segment may be run again; has waited when it may.
  /// A stale statement is forgotten, and so prepared anew, once.
  bool allow(const segment& steps, const segment_result& refused);

private:
  bool forget(const segment& steps);

  session& on_;
  std::uint32_t conflicts_ = 0;
  std::vector<std::string_view> forgotten_;
};

/// The outcome of something whose commit was sent and not answered.
failure unknown_after(const failure& loss);

/// The claim a trip orders, of the size the statements know.
expected<segment> claim_steps(session& on, const trip& request, time_point now);

/// A claim's rows out of what its statement returned.
expected<claimed_rows> read_claim(const trip& request, time_point now,
                                  const PGresult* result);

/// Runs a trip of the lease form. @pre its statements are of that form.
trip_result run_lease(session& on, const trip& request, time_point now);

/// Runs a trip of the row lock form.
trip_result run_row_lock(session& on, const trip& request, time_point now);

} // namespace inbox::postgres
