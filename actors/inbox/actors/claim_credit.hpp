#pragma once

#include <algorithm>
#include <cstdint>

namespace inbox::actors {

/// The rows a claimer may take and has not brought yet. Kept by the
/// supervisor alone.
class claim_credit {
public:
  struct goal {
    std::uint32_t rows = 1;  ///< to hold and to have on the way
    std::uint32_t least = 1; ///< what keeps every worker busy
    std::uint32_t part = 1;  ///< what makes a good claim
  };

  void on_arrived(std::uint32_t rows) noexcept { out_ -= std::min(out_, rows); }

  /// What to give so that the rows in hand and the credit reach the goal;
  /// zero for less than a good part while every worker has work.
  std::uint32_t give(const goal& to, std::uint32_t in_hand) noexcept {
    const auto have = in_hand + out_;
    if (have >= to.rows)
      return 0;
    const auto missing = to.rows - have;
    if (missing < to.part && have > to.least)
      return 0;
    out_ += missing;
    return missing;
  }

  /// Rows that may be claimed still.
  std::uint32_t out() const noexcept { return out_; }

private:
  std::uint32_t out_ = 0;
};

} // namespace inbox::actors
