#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inbox {

/// The octets of the UTF-8 character that starts `text`; zero when none does
/// (an overlong form, a surrogate, a cut-off or a stray octet).
std::size_t utf8_length(std::string_view text) noexcept;

/// True when all of `text` is UTF-8.
bool is_utf8(std::string_view text) noexcept;

/// Fit for a log line and for every database's text: what is no UTF-8 and
/// what controls a terminal becomes '?', and a text longer than `most` octets
/// is cut off between two characters and ends in "...".
std::string to_printable(std::string_view text, std::size_t most);

} // namespace inbox
