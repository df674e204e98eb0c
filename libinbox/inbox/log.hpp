#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inbox {

enum class log_level : unsigned char { debug, info, warning, error };

constexpr std::string_view to_string(log_level level) noexcept {
  switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
  }
  return "unknown";
}

/// One thing worth telling: a sentence and its particulars, by name.
struct log_entry {
  log_level level = log_level::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Receives every entry; called from any thread, and must not block for long.
using log_sink = std::function<void(const log_entry&)>;

} // namespace inbox
