#pragma once

#include "inbox/sqlite/prepared_set.hpp"
#include "inbox/sqlite/served.hpp"

namespace inbox::sqlite {

/// Every part of the trip failed, and why.
trip_result all_failed(const trip& request, const failure& why);

/// Carries out one trip: its settlements, extensions and claim in a single
/// BEGIN IMMEDIATE, each row with an outcome of its own. Lives for one trip.
///
/// A statement that fails for one row leaves the others as they are. Where
/// SQLite has undone the whole transaction, the parts are run again one by
/// one, each in its own, so that only those fail that cause it.
class trip_run {
public:
  trip_run(open_file& in, served& with, const trip& request, time_point now)
    : in_{in}, with_{with}, request_{request}, now_{now} {}

  trip_result run();

private:
  bool is_claim_alone() const noexcept;
  std::size_t parts() const noexcept;

  /// Takes no lock. @returns false when no row is due.
  expected<bool> probe();

  /// Writes every part. @returns the failure that ended the transaction.
  expected<void> write();
  expected<void> settle(const settlement& s, settled& into);
  expected<void> extend(const extension& e, settled& into);
  expected<void> read_back(const settlement& s, settled& into);
  expected<void> claim(const claim_order& order);

  /// Runs the statements of one row's event.
  /// @returns the rows changed by the last of them.
  expected<std::uint64_t> run_event(event e, const bindings& row);
  expected<std::uint64_t> run_all(std::span<ready_statement> texts,
                                  const bindings& row);

  /// A failure of one row: noted, unless it ended the transaction.
  expected<void> note(settled& into, failure why);

  trip_result one_by_one();
  bindings bound() const;

  open_file& in_;
  served& with_;
  const trip& request_;
  time_point now_;
  trip_result result_;
};

} // namespace inbox::sqlite
