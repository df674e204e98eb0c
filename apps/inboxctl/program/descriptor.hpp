#pragma once

#include <utility>

#include <unistd.h>

namespace inboxctl {

/// Owns one file descriptor; closes it. Used by one thread at a time.
class descriptor {
public:
  descriptor() noexcept = default;
  explicit descriptor(int number) noexcept : number_{number} {}
  descriptor(descriptor&& other) noexcept
    : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

  void close() noexcept {
    if (number_ >= 0)
      ::close(std::exchange(number_, -1));
  }

private:
  int number_ = -1;
};

} // namespace inboxctl
