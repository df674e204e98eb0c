#pragma once

#include <chrono>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inbox/trip.hpp"

namespace inbox {

/// Owns the token of each delivery in work and decides whom to extend when.
/// Not thread-safe; kept by the leaseholder alone.
///
/// A delivery is held, extending, or gone. While its extension is under way
/// its settlement waits, so that the two never overlap; it comes out of
/// `on_extended` with the token the row then holds.
class lease_book {
public:
  using instant = std::chrono::steady_clock::time_point;

  explicit lease_book(duration lease) noexcept : lease_{lease} {}

  /// A delivery starts to be held.
  /// @param since when its claim read the clock, at the latest.
  void hold(delivery_number d, value id, token held, instant since);

  /// The deliveries to extend now, at most `most`; each is extending after.
  /// Each is due half a lease after its token was written, and a tenth of the
  /// lease after an extension that failed; when one is due, those due within
  /// the next twentieth of the lease come along, so that one trip serves them.
  std::vector<extension> take_due(instant now, std::size_t most);

  /// When `take_due` or `take_lost` will have something; nothing when empty.
  std::optional<instant> next_due() const noexcept;

  /// Takes the results of an extension.
  /// @param since when the extension read the clock, at the latest.
  /// @returns the settlements that waited for it, tokens filled in.
  std::vector<settlement> on_extended(const std::vector<settled>& results,
                                      instant since, instant now);

  /// Ends a delivery.
  /// @returns the settlement with its token filled in, or nothing while an
  ///          extension is under way. A delivery not in the book passes as is.
  std::optional<settlement> finish(settlement end);

  /// Deliveries whose lease ended, or was found taken over, since the last
  /// call; each is named once and stays in the book until it finishes.
  std::vector<delivery_number> take_lost(instant now);

  std::size_t size() const noexcept { return held_.size(); }

private:
  struct entry {
    bool is_ended(instant now) const noexcept {
      return taken_over || now >= expires;
    }

    value id;
    token held;
    instant due;     ///< of the next extension
    instant expires; ///< of the lease, never later than in the database
    bool extending = false;
    bool lost = false; ///< and said so
    bool taken_over = false;
    std::optional<settlement> waiting;
  };

  using held_rows = std::pmr::unordered_map<delivery_number, entry>;

  void note(entry& e, const settled& result, instant since, instant now);

  duration lease_;
  std::pmr::unsynchronized_pool_resource nodes_; ///< a node a row, reused
  held_rows held_{&nodes_};
};

} // namespace inbox
