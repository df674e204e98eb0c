#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace inboxctl {

/// Cuts a stream of octets into lines; one that grows past `longest` octets
/// is handed on in pieces. Used by one thread.
class line_cutter {
public:
  static constexpr std::size_t longest = 8 * 1024;

  explicit line_cutter(std::function<void(std::string_view)> with_line)
    : with_line_{std::move(with_line)} {}

  void add(std::string_view octets);

  /// The stream has ended: hands on what has no newline behind it.
  void finish();

private:
  void cut();

  std::function<void(std::string_view)> with_line_;
  std::string begun_;
};

} // namespace inboxctl
