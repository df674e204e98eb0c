#include "inbox/describe/column.hpp"

namespace inbox {

tl::unexpected<failure> refuse_value(const value_view& found,
                                     std::string_view wanted) {
  return refuse(errc::wrong_type,
                "the value is " + std::string{to_string(found.kind())} + " ("
                  + found.to_display() + "); the member takes "
                  + std::string{wanted});
}

expected<void> column<bool>::read(const value_view& from, bool& into) {
  if (const auto flag = from.as_boolean())
    into = *flag;
  else if (const auto number = from.as_integer(); number && (*number | 1) == 1)
    into = *number == 1;
  else
    return refuse_value(from, "a boolean");
  return {};
}

expected<void> column<std::string>::read(const value_view& from,
                                         std::string& into) {
  const auto text = from.as_text();
  if (!text)
    return refuse_value(from, "text; for bytes use std::vector<std::byte>");
  into.assign(*text);
  return {};
}

expected<void> column<header_map>::read(const value_view& from,
                                        header_map& into) {
  const auto text = from.as_text();
  if (!text)
    return refuse_value(from, "a JSON object of strings");
  return parse_headers(*text).map(
    [&into](header_map read) { into = std::move(read); });
}

expected<value> column<header_map>::write(const header_map& from) {
  return to_json(from).map(
    [](std::string text) { return value::json(std::move(text)); });
}

} // namespace inbox
