#include "json_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "inbox/utf8.hpp"

#include "octets.hpp"

namespace inboxctl {

using inbox::value_kind;
using inbox::value_view;

namespace {

bool is_octets(const value_view& v) {
  return v.kind() == value_kind::bytes
         || (v.kind() == value_kind::text && !inbox::is_utf8(*v.as_octets()));
}

std::string real_json(double number) {
  auto text = fmt::format("{}", number);
  return std::isfinite(number) ? text : json_string(text);
}

/// A decimal or a JSON column: already JSON, apart from NaN and its like.
std::string verbatim_json(std::string_view text) {
  return json::accept(text) ? std::string{text} : json_string(text);
}

std::string value_json(const value_view& v) {
  switch (v.kind()) {
    case value_kind::null: return "null";
    case value_kind::boolean: return *v.as_boolean() ? "true" : "false";
    case value_kind::integer: return std::to_string(*v.as_integer());
    case value_kind::real: return real_json(*v.as_real());
    case value_kind::time: return json_string(inbox::to_rfc3339(*v.as_time()));
    case value_kind::decimal:
    case value_kind::json: return verbatim_json(*v.as_octets());
    case value_kind::text:
    case value_kind::bytes: break;
  }
  return json_string(is_octets(v) ? base64(*v.as_octets()) : *v.as_octets());
}

} // namespace

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string row_json(const inbox::row& columns) {
  std::string text = "{";
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const auto seen = columns.at(at);
    auto name = columns.name(at);
    if (is_octets(seen))
      name += "_base64";
    if (at > 0)
      text += ",";
    text += json_string(name) + ":" + value_json(seen);
  }
  return text + "}";
}

std::string id_text(const value_view& id) {
  if (id.kind() == value_kind::bytes)
    return hex(*id.as_octets());
  if (const auto text = id.as_text())
    return std::string{*text};
  return id.to_display();
}

json id_json(const value_view& id) {
  if (const auto number = id.as_integer())
    return *number;
  return id_text(id);
}

} // namespace inboxctl
