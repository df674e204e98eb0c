#include "octets.hpp"

#include <cstdint>

#include "inbox/utf8.hpp"

namespace inboxctl {

namespace {

std::uint8_t octet_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

} // namespace

std::string base64(std::string_view octets) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "abcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((octets.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < octets.size(); at += 3) {
    const std::uint32_t three = octet_at(octets, at) << 16
                                | octet_at(octets, at + 1) << 8
                                | octet_at(octets, at + 2);
    const auto left = octets.size() - at;
    text += digits[three >> 18];
    text += digits[three >> 12 & 63];
    text += left > 1 ? digits[three >> 6 & 63] : '=';
    text += left > 2 ? digits[three & 63] : '=';
  }
  return text;
}

std::string hex(std::string_view octets) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(octets.size() * 2);
  for (const char c : octets) {
    text += digits[static_cast<std::uint8_t>(c) >> 4];
    text += digits[c & 15];
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto length = inbox::utf8_length(text);
    const auto lead = octet_at(text, 0);
    const bool control = (lead < 0x20 && lead != '\t') || lead == 0x7f;
    if (length == 0 || control)
      out += "\\x" + hex(text.substr(0, 1));
    else
      out.append(text, 0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

} // namespace inboxctl
