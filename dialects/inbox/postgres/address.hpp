#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inbox/error.hpp"

namespace inbox::postgres {

/// What a connection URL says, as far as it may be shown, and what not.
struct address {
  std::string url;         ///< As libpq takes it; holds the password.
  std::string description; ///< "postgres at db:5432" (C-117)
  bool has_several_hosts = false;
  std::vector<std::string> secrets; ///< Texts no message may show.
};

/// Reads "postgres://" and "postgresql://" URLs and the settings in them.
/// @returns `errc::unknown_database` for another scheme and
///          `errc::invalid_setting` for a URL that libpq does not read; the
///          message never shows what may be a password.
expected<address> read_address(std::string url);

/// What libpq is given to connect there: names and values.
std::vector<std::pair<std::string, std::string>>
parameters_of(const address& where);

} // namespace inbox::postgres
