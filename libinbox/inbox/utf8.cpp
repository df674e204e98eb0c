#include "inbox/utf8.hpp"

namespace inbox {

namespace {

std::size_t announced_length(unsigned char lead) noexcept {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return 2;
  if (lead >= 0xe0 && lead <= 0xef)
    return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// Leaves out overlong forms, surrogates and what lies beyond U+10FFFF, all
/// of which show in the second octet.
bool fits_lead(unsigned char lead, unsigned char second) noexcept {
  switch (lead) {
    case 0xe0: return second >= 0xa0;
    case 0xed: return second <= 0x9f;
    case 0xf0: return second >= 0x90;
    case 0xf4: return second <= 0x8f;
    default: return true;
  }
}

} // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  if (text.empty())
    return 0;
  const auto octet = [text](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const auto length = announced_length(octet(0));
  if (length > text.size())
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (octet(i) >> 6 != 0x2)
      return 0;
  return length > 1 && !fits_lead(octet(0), octet(1)) ? 0 : length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_printable(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const auto length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool shown = length > 0 && lead >= 0x20 && lead != 0x7f;
    if (out.size() + (shown ? length : 1) > most)
      return out + "...";
    if (shown)
      out.append(text.substr(0, length));
    else
      out += '?';
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

} // namespace inbox
