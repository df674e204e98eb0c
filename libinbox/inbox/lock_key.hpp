#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/error.hpp"

namespace inbox {

/// A piece of an advisory lock key: text, or the value of a column.
struct key_part {
  enum class kind_type : std::uint8_t { literal, column } kind;
  std::string text; ///< the literal, or the column's name

  friend bool operator==(const key_part&, const key_part&) = default;
};

/// Splits a template such as "jobs-{job_id}" into its pieces (C-016). An empty
/// template has none: every row then shares one lock.
/// @returns `errc::invalid_description` for a brace without its partner and
///          for empty braces, naming the template.
expected<std::vector<key_part>> parse_lock_key(std::string_view pattern);

} // namespace inbox
