#pragma once

#include <algorithm>
#include <cstdint>

namespace inbox::actors {

/// The rows a claimer may take and has not brought yet. Kept by the
/// supervisor alone.
class claim_credit {
public:
  void on_arrived(std::uint32_t rows) noexcept { out_ -= std::min(out_, rows); }

  /// What to give so that the rows in hand and the credit reach `target`;
  /// zero for a part too small to make a good claim, while every worker has
  /// work.
  std::uint32_t give(std::uint32_t target, std::uint32_t in_hand,
                     std::uint32_t workers) noexcept {
    const auto have = in_hand + out_;
    if (have >= target)
      return 0;
    const auto missing = target - have;
    if (target > workers && missing < target / 4 && have > workers)
      return 0;
    out_ += missing;
    return missing;
  }

private:
  std::uint32_t out_ = 0;
};

} // namespace inbox::actors
