#pragma once

#include <optional>
#include <span>

#include "inbox/actors/call_ends.hpp"
#include "inbox/actors/permit.hpp"
#include "inbox/low_mark.hpp"
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
  bool is_full = false; ///< there may be more to claim
  /// The claimed rows, when the worker runs them already; else they are the
  /// supervisor's.
  std::vector<shared_delivery> next;
  std::chrono::steady_clock::time_point since; ///< when it began

  /// True when every row's end is written, or was not ours to write.
  bool is_settled() const;
};

/// Where the claims of one permit begin, one after another. One thread.
class permit_mark {
public:
  std::optional<time_point> begin() {
    return mark_.begin(++claims_, std::chrono::steady_clock::now());
  }
  /// As `low_mark` has it, of the claim that began last.
  void on_claimed(bool is_full, std::optional<time_point> first_due) noexcept {
    mark_.on_claimed({.number = claims_}, is_full, first_due);
  }

private:
  low_mark mark_;
  std::uint64_t claims_ = 0;
};

/// Takes turns for the workers of one queue. Any thread, several at once.
class turns {
public:
  struct settings {
    shared_statements statements;
    clock_source clock;
    std::shared_ptr<delivery_numbers> numbers;
    bool marks = false; ///< claims can begin at a mark
  };

  explicit turns(settings s) : settings_{std::move(s)} {}

  /// How a call's rows end, if they are all finished. What a policy or a cap
  /// decides, and what comes back to the queue, is the supervisor's.
  std::optional<std::vector<settlement>>
  finished(std::span<const shared_delivery> rows,
           std::span<const call_end> ends) const;

  /// Blocks in the driver. A claim that finds nothing from the mark on is made
  /// again from the start. `next` is filled in when the claim brought as many
  /// rows as it asked for and all of them may run.
  std::shared_ptr<turn> take(const permit& with, connection& on,
                             std::vector<settlement> ends,
                             permit_mark& mark) const;

private:
  expected<claimed_rows> run(connection& on, trip& request, turn& t,
                             permit_mark& mark) const;
  std::vector<shared_delivery> runnable(const turn& t) const;

  settings settings_;
};

} // namespace inbox::actors
