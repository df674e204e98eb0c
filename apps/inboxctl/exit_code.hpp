#pragma once

#include <cstdint>

#include "inbox/error.hpp"

namespace inboxctl {

/// What a shell learns of a command.
enum class exit_code : std::uint8_t {
  success = 0,
  failed = 1,  ///< The world does not allow it: server, table, program.
  refused = 2, ///< The command line or the configuration is wrong.
};

/// Which of them a failure means.
constexpr exit_code to_exit_code(inbox::errc code) noexcept {
  using inbox::errc;
  switch (code) {
    case errc::invalid_description:
    case errc::invalid_setting:
    case errc::invalid_config:
    case errc::unknown_queue:
    case errc::declaration:
    case errc::form_mismatch:
    case errc::unsupported_form:
    case errc::unsupported_opening:
    case errc::unsupported_fifo:
    case errc::lease_on_database_clock:
    case errc::missing_role:
    case errc::identifier_too_long:
    case errc::unknown_database:
    case errc::already_subscribed: return exit_code::refused;
    default: return exit_code::failed;
  }
}

} // namespace inboxctl
