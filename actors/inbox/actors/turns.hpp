#pragma once

#include <optional>
#include <span>

#include "inbox/actors/call_ends.hpp"
#include "inbox/actors/permit.hpp"
#include "inbox/time.hpp"

namespace inbox::actors {

/// Numbers the deliveries of one queue, whoever makes them.
using delivery_numbers = std::atomic<delivery_number>;

/// What a worker did on its permit: the ends of one call's rows and the claim
/// of the next ones, in one trip.
struct turn {
  permit with;
  std::vector<settlement> ends;
  std::vector<settled> results; ///< one for each, in the same order
  expected<claimed_rows> claimed;
  /// The claimed rows, when the worker runs them already; else they are the
  /// supervisor's.
  std::vector<shared_delivery> next;
  std::chrono::steady_clock::time_point since; ///< when it began

  /// True when every row's end is written, or was not ours to write.
  bool is_settled() const;
};

/// Takes turns for the workers of one queue. Any thread, several at once.
class turns {
public:
  turns(shared_statements of, clock_source clock,
        std::shared_ptr<delivery_numbers> numbers);

  /// How a call's rows end, if they are all finished. What a policy or a cap
  /// decides, and what comes back to the queue, is the supervisor's.
  std::optional<std::vector<settlement>>
  finished(std::span<const shared_delivery> rows,
           std::span<const call_end> ends) const;

  /// Blocks in the driver. `next` is filled in when the claim brought as many
  /// rows as it asked for and all of them may run.
  std::shared_ptr<turn> take(const permit& with, connection& on,
                             std::vector<settlement> ends) const;

private:
  std::vector<shared_delivery> runnable(const turn& t) const;

  shared_statements of_;
  clock_source clock_;
  std::shared_ptr<delivery_numbers> numbers_;
};

} // namespace inbox::actors
