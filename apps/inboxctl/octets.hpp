#pragma once

#include <string>
#include <string_view>

namespace inboxctl {

/// RFC 4648 with padding.
std::string base64(std::string_view octets);

/// Lower-case hexadecimal digits, two for each octet.
std::string hex(std::string_view octets);

/// One line that is safe to show: control characters and octets that are no
/// UTF-8 as \xNN, so that what a program prints cannot steer a terminal.
std::string printable(std::string_view text);

} // namespace inboxctl
