#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inbox/row.hpp"
#include "inbox/statement_set.hpp"

namespace inbox {

/// Numbers a delivery within its process; never reused. Zero means none.
using delivery_number = std::uint64_t;

/// What the row must still hold for a write to be ours. Empty in the row lock
/// form, where the open transaction holds the row.
struct token {
  /// The lease end exactly as the column stores it.
  time_point locked_until;
  /// The attempt the row stores while it is held, where the table counts any:
  /// a lease end can repeat within one second, the pair cannot.
  std::optional<std::int64_t> attempt;

  friend bool operator==(const token&, const token&) = default;
};

/// A decided end of one delivery, ready to be written.
struct settlement {
  event what = event::ack;
  delivery_number delivery = 0;
  value id;
  std::optional<token> held; ///< Present in the lease form.
  duration delay{};          ///< of `retry_after`, from the trip's now

  friend bool operator==(const settlement&, const settlement&) = default;
};

/// A delivery whose lease goes on.
struct extension {
  delivery_number delivery = 0;
  value id;
  token held;

  friend bool operator==(const extension&, const extension&) = default;
};

/// A claim to make.
struct claim_order {
  std::uint64_t number = 0; ///< The claimer's; comes back with the rows.
  std::uint32_t limit = 1;
  /// Rows due before this instant may be left for a later claim; see
  /// `low_mark`. Of no effect where the claim has no such text.
  std::optional<time_point> since = std::nullopt;

  friend bool operator==(const claim_order&, const claim_order&) = default;
};

/// One request to a session: settle, extend, claim, in this order and in as
/// few round trips as the database allows. Each part has its own result and
/// each row its own. In the row lock form a claim leaves its transaction open
/// when it found a row, and a settlement commits it.
struct trip {
  shared_statements statements;
  std::vector<settlement> settlements;
  std::vector<extension> extensions;
  /// Settlements whose outcome is unknown: read back by id and token, locking
  /// the row, and answered `done` when the token is gone, `held` when not.
  std::vector<settlement> read_backs;
  std::optional<claim_order> claim;
  /// Row lock form: end the open transaction without settling.
  bool roll_back = false;

  bool empty() const noexcept {
    return settlements.empty() && extensions.empty() && read_backs.empty()
           && !claim && !roll_back;
  }
};

/// How one settlement, extension or read-back went.
struct settled {
  enum class how : std::uint8_t {
    done,    ///< Written and committed.
    lost,    ///< The row no longer holds the token; nothing was changed.
    held,    ///< Read back: the row still holds the token.
    failed,  ///< Definitely not written; `why` says why.
    unknown, ///< The session ended in the commit; `why` says how.
  };

  delivery_number delivery = 0;
  how went = how::done;
  std::optional<failure> why;
  /// The token after an extension that is `done`.
  std::optional<token> now_held;
};

/// Rows a claim took, in claim order, with the values from before the claim
/// in the columns of the description, at the same positions.
struct claimed_rows {
  std::uint64_t number = 0; ///< The order's.
  std::uint32_t asked = 0;  ///< The limit that was really asked for.
  shared_rows rows;         ///< Never null; may be empty.
  time_point claimed_at;    ///< The instant bound as now.
  /// The lease end written; nothing in the row lock form.
  std::optional<time_point> locked_until;
};

/// What came of a trip, each part in the order of the request.
struct trip_result {
  std::vector<settled> settlements;
  std::vector<settled> extensions;
  std::vector<settled> read_backs;
  /// Present when a claim was asked for.
  std::optional<expected<claimed_rows>> claim;
  /// Present when the session is no longer usable; the parts say what it
  /// meant for them.
  std::optional<failure> session_lost;
};

} // namespace inbox
