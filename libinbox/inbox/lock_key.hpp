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

/// One step through a template; the views look into it.
struct key_step {
  enum class fault_type : std::uint8_t { none, unclosed, stray, empty };

  fault_type fault = fault_type::none;
  key_part::kind_type kind = key_part::kind_type::literal;
  std::string_view text;
};

/// Takes the first piece off `rest`, which is not empty. On a fault `rest` is
/// left alone.
constexpr key_step next_key_part(std::string_view& rest) noexcept {
  using enum key_step::fault_type;
  using kind = key_part::kind_type;
  const auto open = rest.find_first_of("{}");
  if (open != 0) {
    const key_step literal{none, kind::literal, rest.substr(0, open)};
    rest.remove_prefix(literal.text.size());
    return literal;
  }
  if (rest[0] == '}')
    return {stray, kind::column, {}};
  const auto close = rest.find_first_of("{}", 1);
  if (close == std::string_view::npos || rest[close] == '{')
    return {unclosed, kind::column, {}};
  if (close == 1)
    return {empty, kind::column, {}};
  const key_step column{none, kind::column, rest.substr(1, close - 1)};
  rest.remove_prefix(close + 1);
  return column;
}

/// Splits a template such as "jobs-{job_id}" into its pieces (C-016). An empty
/// template has none: every row then shares one lock.
/// @returns `errc::invalid_description` for a brace without its partner and
///          for empty braces, naming the template.
expected<std::vector<key_part>> parse_lock_key(std::string_view pattern);

} // namespace inbox
