#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "reporter.hpp"

namespace inboxctl {

/// Shows how far long work has come, on stderr: a bar that is drawn over and
/// over on a terminal, a line every few seconds elsewhere. Silent for work
/// that ends within a second. Used by one thread.
class progress {
public:
  /// @param what is counted, in the plural: "rows".
  progress(const reporter& tell, std::string what, std::uint64_t total);
  /// Clears the bar.
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void at(std::uint64_t done);

private:
  using steady = std::chrono::steady_clock;
  void draw(std::uint64_t done) const;

  const reporter& tell_;
  std::string what_;
  std::uint64_t total_;
  bool on_terminal_;
  bool drawn_ = false;
  steady::time_point next_;
};

} // namespace inboxctl
