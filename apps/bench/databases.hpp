#pragma once

#include "options.hpp"
#include "scenario.hpp"

namespace bench {

// Each exists where the component is built.

inbox::expected<std::vector<scenario>> sqlite_scenarios(const options& given);

/// Filling the table at `on` instead of draining it.
std::vector<scenario> sqlite_enqueue_scenarios(std::shared_ptr<stage> on,
                                               const std::string& file);
std::vector<scenario> postgres_enqueue_scenarios(std::shared_ptr<stage> on,
                                                 const std::string& url);

/// @pre the options name a URL.
inbox::expected<std::vector<scenario>> postgres_scenarios(const options& given);

} // namespace bench
