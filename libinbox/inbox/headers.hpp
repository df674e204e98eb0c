#pragma once

#include <map>
#include <string>
#include <string_view>

#include "inbox/error.hpp"

namespace inbox {

/// A message's headers: names to values.
using header_map = std::map<std::string, std::string, std::less<>>;

/// Reads a JSON object of strings; "", "null" and "{}" are no headers.
/// @returns `errc::undecodable` when it is anything else.
expected<header_map> parse_headers(std::string_view json);

/// As a JSON object of strings.
/// @returns `errc::undecodable`, naming the header, when a name or a value is
///          no UTF-8.
expected<std::string> to_json(const header_map& headers);

} // namespace inbox
