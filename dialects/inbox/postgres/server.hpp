#pragma once

#include <string>
#include <string_view>

#include "inbox/dialect.hpp"

namespace inbox::postgres {

/// Whether this server's SQL and locks are those the statements are made for.
/// @param number as libpq gives it: 150020 for 15.20.
/// @param version what `server_version` says: "15.20 (Debian 15.20-1)".
/// @param banner what `SELECT version()` says.
/// @returns `errc::server_too_old` naming the server and what is needed.
expected<server_facts> check_server(int number, std::string_view version,
                                    std::string_view banner);

} // namespace inbox::postgres
