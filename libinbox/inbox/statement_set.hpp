#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inbox/event.hpp"
#include "inbox/statement.hpp"
#include "inbox/subscription.hpp"

namespace inbox {

/// A claim whose limit stands in its text: a bound limit makes Postgres plan
/// the claim anew each time (LIMIT as a literal measured 1.07 to 1.21 times).
struct sized_claim {
  /// Zero when the limit is bound instead, as `param::meaning::limit`.
  std::uint32_t limit = 1;
  statement text;
  /// The same from `param::meaning::low_mark` on; none where the claim order
  /// does not begin with the due time, or the database gains nothing by it.
  std::optional<statement> marked = std::nullopt;

  /// The text to run, from a mark on if it can.
  const statement& beginning(bool at_mark) const noexcept {
    return at_mark && marked ? *marked : text;
  }

  friend bool operator==(const sized_claim&, const sized_claim&) = default;
};

/// Every statement one subscription runs, built once at start and immutable
/// from then on. Shared by the sessions that run it, from any thread.
class statement_set {
public:
  explicit statement_set(subscription of) : of_{std::move(of)} {}

  const subscription& of() const noexcept { return of_; }
  const table& description() const noexcept { return of_.description; }

  /// The statements of an event, run in this order in one transaction; empty
  /// when the event needs none (a retry in the row lock form without an
  /// attempt column) or the table cannot have it. `claim` is in `claims`.
  std::span<const statement> at(event e) const noexcept;

  /// The claim with the largest limit not above `wanted`, which is at least 1;
  /// the only one where the limit is bound.
  const sized_claim& claim(std::uint32_t wanted) const noexcept;

  /// Whether claims can begin at a mark.
  bool has_marked_claims() const noexcept {
    return !claims_.empty() && claims_.front().marked;
  }

  /// By ascending limit; the first has the limit 1, or the only one zero.
  std::span<const sized_claim> claims() const noexcept { return claims_; }

  // Only while the set is built.
  void put(event e, std::vector<statement> statements);
  void put_claim(sized_claim claim);

  friend bool operator==(const statement_set& a, const statement_set& b) {
    return a.by_event_ == b.by_event_ && a.claims_ == b.claims_;
  }

private:
  subscription of_;
  std::array<std::vector<statement>, event_count> by_event_;
  std::vector<sized_claim> claims_;
};

using shared_statements = std::shared_ptr<const statement_set>;

} // namespace inbox
