#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "inbox/headers.hpp"
#include "inbox/table.hpp"
#include "inbox/trip.hpp"

namespace inbox {

/// A claimed row on its way through a handler.
///
/// Copyable, because messages copy; copies share one immutable row buffer.
/// The database decides who holds the row: settling with a token that is no
/// longer in the row changes nothing.
class delivery {
public:
  /// Reads the columns that play a role. A column that does not read
  /// leaves a delivery with a `fault()`; it can still be settled, and still
  /// reports its attempt where that column reads (C-141).
  /// @param of the statements the claim ran; kept, since it owns the table.
  /// @param rows what the claim returned, columns as in the description.
  /// @returns `errc::null_in_role` or `errc::wrong_type` when the id itself
  ///          does not read, so that nothing can be settled.
  static expected<delivery> from_row(shared_statements of,
                                     const claimed_rows& rows,
                                     std::size_t index, delivery_number number);

  delivery_number number() const noexcept { return number_; }

  /// Valid while any copy of this delivery lives, as all views are.
  value_view id() const noexcept { return at(column_role::id); }

  /// The id as a value of its own, which keeps the row's octets.
  value shared_id() const { return value::kept(id(), row_.set()); }

  /// The attempt as stored before this claim: 1 for a fresh row. Nothing when
  /// the table counts none or the column does not read.
  std::optional<std::uint64_t> attempt() const noexcept { return attempt_; }

  /// NULL where the table has no such column.
  value_view group() const noexcept { return at(column_role::group); }
  value_view partition_key() const noexcept {
    return at(column_role::partition_key);
  }

  /// Parsed when asked for.
  expected<header_map> headers() const;

  /// The payload's octets; empty for NULL and in row mode.
  std::string_view payload() const noexcept;

  /// What the row must still hold for a settlement to be ours.
  const std::optional<token>& held() const noexcept { return held_; }

  /// Why the row cannot go to a handler, if it cannot.
  const std::optional<failure>& fault() const noexcept { return fault_; }

  const row& columns() const noexcept { return row_; }
  const subscription& of() const noexcept { return of_->of(); }

private:
  delivery() = default;
  value_view at(column_role role) const noexcept;

  row row_;
  shared_statements of_;
  delivery_number number_ = 0;
  std::optional<std::uint64_t> attempt_;
  std::optional<token> held_;
  std::optional<failure> fault_;
};

/// A delivery among those of its claim, which live as long as one of them is
/// used.
using shared_delivery = std::shared_ptr<const delivery>;

/// Shares the deliveries of one claim at the price of a single allocation.
std::vector<shared_delivery> share(std::vector<delivery> all);

} // namespace inbox
