#pragma once

#include <atomic>
#include <cstdint>

namespace inbox::actors {

/// Figures of one queue. Written by its actors, read from any thread; see
/// `queue_snapshot` for what each counts.
struct queue_counters {
  std::atomic<std::uint64_t> claimed{0};
  std::atomic<std::uint64_t> acked{0};
  std::atomic<std::uint64_t> retried{0};
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<std::uint64_t> dead_lettered{0};
  std::atomic<std::uint64_t> given_back{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> undecodable{0};
  std::atomic<std::uint64_t> claims{0};
  std::atomic<std::uint64_t> empty_claims{0};
  std::atomic<std::uint64_t> failed_claims{0};
  std::atomic<std::uint32_t> in_work{0};
  std::atomic<std::uint32_t> held{0};
  std::atomic<std::int64_t> extension_lateness_us{0}; ///< the worst so far
};

} // namespace inbox::actors
