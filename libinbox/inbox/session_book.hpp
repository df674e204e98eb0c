#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "inbox/time.hpp"

namespace inbox {

/// Numbers a loan of a session; never reused. Zero means none.
using loan_number = std::uint64_t;

/// What a session is borrowed for, in lending order.
enum class loan_purpose : std::uint8_t { settle, extend, unlock, claim, other };

/// Decides which session goes to whom, when to open another and when to try
/// again after a failure. Not thread-safe; kept by the session pool alone.
///
/// The last free session is never lent for a claim, so that a pool whose
/// deliveries hold sessions can always settle. Where one session does all the
/// writing, slot 0 is that one, `other` loans take the rest, and a claim may
/// take it, since it is given back at once.
class session_book {
public:
  using instant = std::chrono::steady_clock::time_point;

  struct settings {
    std::uint32_t size = 8;
    bool one_writer = false;
    duration first_backoff = 100ms; ///< doubled at each failure in a row
    duration backoff_cap = 10s;
  };

  /// What the pool has to do next.
  struct step {
    enum class kind : std::uint8_t {
      lend, ///< Give session `slot` out as loan `loan`.
      open, ///< Open session `slot`; report `on_opened` or `on_lost`.
      drop, ///< Session `slot` ended while it was free; let go of it.
    };
    kind what;
    std::uint32_t slot;
    loan_number loan = 0;
  };

  explicit session_book(settings s);

  /// Queues a request.
  loan_number ask(loan_purpose purpose);

  /// Withdraws a request that is not lent yet. @returns false when it is.
  bool withdraw(loan_number loan);

  /// The borrower is done. @param usable false when the session broke.
  /// @param random in [0, 1), places the backoff's jitter.
  void give_back(loan_number loan, bool usable, instant now, double random);

  void on_opened(std::uint32_t slot);
  /// Opening failed. The backoff of the next opening starts.
  void on_lost(std::uint32_t slot, instant now, double random);

  /// Requests for claims and other work that wait while no session can be
  /// had before a backoff ends; taken out, to be refused with the failure at
  /// hand. Those that settle, extend or unlock go on waiting (B67).
  std::vector<loan_number> take_refused();

  /// Tells whether the session in a slot has ended while it was free.
  using has_ended = std::function<bool(std::uint32_t slot)>;

  /// What to do now; empty when there is nothing. A session that has ended is
  /// not lent: a server that restarts ends all the free ones, and each would
  /// cost its borrower a failure (B65).
  std::vector<step> next(instant now, const has_ended& ended = {});

  /// When `next` will have something because a backoff ends.
  std::optional<instant> next_due() const noexcept;

  /// Sessions that could be lent for a claim beside those lent now, counting
  /// those that may still be opened.
  std::uint32_t spare() const noexcept;

  /// Requests that are not lent yet.
  std::uint32_t waiting() const noexcept {
    return static_cast<std::uint32_t>(waiting_.size());
  }

  /// True when every session is closed or free.
  bool is_idle() const noexcept;

private:
  enum class state : std::uint8_t { closed, opening, free, lent };
  struct session {
    state is = state::closed;
    loan_number loan = 0;
    bool proven = false; ///< gave a loan back usable since it was opened
  };
  struct request {
    loan_number loan;
    loan_purpose purpose;
  };
  /// Slots from `first` to before `last`.
  struct range {
    std::uint32_t first;
    std::uint32_t last;
    friend bool operator==(const range&, const range&) = default;
  };

  std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(sessions_.size());
  }
  range range_of(loan_purpose p) const noexcept;
  /// Free sessions that a loan for `p` has to leave.
  std::uint32_t kept_free(loan_purpose p) const noexcept;
  std::uint32_t count(range in, state is) const noexcept;
  /// Free sessions it would take to lend to all who wait.
  std::uint32_t demand(range in) const noexcept;
  bool can_be_had(loan_purpose p) const noexcept;
  std::optional<std::uint32_t> slot_for(loan_purpose p) const noexcept;
  void lend(std::vector<step>& steps, const has_ended& ended);
  void open(std::vector<step>& steps);
  void back_off(instant now, double random);

  settings settings_;
  std::vector<session> sessions_;
  std::deque<request> waiting_; ///< by purpose, then by age
  loan_number loans_ = 0;
  std::uint32_t failures_ = 0; ///< in a row
  std::optional<instant> not_before_;
};

} // namespace inbox
