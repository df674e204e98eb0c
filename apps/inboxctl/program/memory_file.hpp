#pragma once

#include <string_view>

#include "inbox/error.hpp"

#include "program/descriptor.hpp"

namespace inboxctl {

/// An unnamed file in memory that holds `octets`, sealed so that nobody can
/// change it any more; read from its beginning.
/// @returns `errc::handler_failed` when there is no memory for it.
inbox::expected<descriptor> memory_file(std::string_view octets);

} // namespace inboxctl
