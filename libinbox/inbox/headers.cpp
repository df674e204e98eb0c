#include "inbox/headers.hpp"

#include <nlohmann/json.hpp>

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

/// Octets of a name or a text that a message shows.
constexpr std::size_t sample_limit = 60;

} // namespace

expected<header_map> parse_headers(std::string_view json) {
  header_map headers;
  if (json.empty())
    return headers;
  const auto read = nlohmann::json::parse(json, nullptr, false);
  if (read.is_null())
    return headers;
  if (!read.is_object())
    return refuse(errc::undecodable,
                  "the headers are no JSON object of strings: "
                    + to_printable(json, sample_limit));
  for (const auto& [name, held] : read.items()) {
    const auto* text = held.get_ptr<const std::string*>();
    if (!text)
      return refuse(errc::undecodable, "header \""
                                         + to_printable(name, sample_limit)
                                         + "\" is no JSON string");
    headers.emplace(name, *text);
  }
  return headers;
}

expected<std::string> to_json(const header_map& headers) {
  auto object = nlohmann::json::object();
  for (const auto& [name, text] : headers) {
    if (!is_utf8(name) || !is_utf8(text))
      return refuse(errc::undecodable,
                    "header \"" + to_printable(name, sample_limit)
                      + "\" is no UTF-8; headers are kept as JSON text");
    object.emplace(name, text);
  }
  return object.dump();
}

} // namespace inbox
