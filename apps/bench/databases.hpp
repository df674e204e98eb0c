#pragma once

#include "options.hpp"
#include "scenario.hpp"

namespace bench {

// Each exists where the component is built.

inbox::expected<std::vector<scenario>> sqlite_scenarios(const options& given);

/// @pre the options name a URL.
inbox::expected<std::vector<scenario>> postgres_scenarios(const options& given);

} // namespace bench
