#pragma once

#include "inbox/postgres/groups.hpp"
#include "inbox/postgres/pipeline.hpp"

namespace inbox::postgres {

/// Writes the answers of a lease trip's rows. Of one trip, one thread.
class settled_answers {
public:
  /// @param lease_end what an extension of this trip writes.
  settled_answers(const statement_set& set, time_point lease_end)
    : set_{set}, lease_end_{lease_end} {}

  /// Reads them off the results of a part that was done.
  void read(const part& p, const segment_result& came) const;

  void fail(const part& p, const failure& why) const {
    put(p, settled::how::failed, why);
  }

  /// The same answer for every row.
  void put(const part& p, settled::how went, const failure& why) const;

  /// A failure that says which subscription, table and event it met.
  failure named(failure why, event what) const;

private:
  void read(const group& g, const PGresult* result) const;
  void end(const item& r, bool is_hit) const;
  void put(const group& g, settled::how went, const failure& why) const;

  const statement_set& set_;
  time_point lease_end_;
};

} // namespace inbox::postgres
