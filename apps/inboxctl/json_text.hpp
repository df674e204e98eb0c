#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "inbox/row.hpp"

namespace inboxctl {

/// A JSON document whose members keep their order.
using json = nlohmann::ordered_json;

/// A JSON string; octets that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// One row as a JSON object, column by column: numbers exact, instants as
/// RFC 3339 with microseconds, NULL as null. Bytes, and text that is no
/// UTF-8, stand as base64 under "NAME_base64"; the numbers JSON cannot write
/// (NaN, infinity) as strings.
std::string row_json(const inbox::row& columns);

/// An id as programs and people read it: a number in decimal, text as it is,
/// bytes as hex; whole, however long.
std::string id_text(const inbox::value_view& id);

/// An id as JSON: integers as exact integers, anything else as a string.
json id_json(const inbox::value_view& id);

} // namespace inboxctl
