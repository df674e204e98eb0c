#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inbox/driver.hpp"
#include "inbox/settings.hpp"

#include "command.hpp"

namespace inboxctl {

/// What most commands start from: the configuration, the queues that were
/// asked for, and their database, which nobody has talked to yet.
struct workspace {
  inbox::configuration config;
  std::vector<inbox::queue_settings> queues;
  inbox::pool pool;

  const inbox::database& database() const { return **pool.to; }
};

/// Reads the configuration and picks the queues.
/// @param names none means every queue of the configuration.
/// @returns the first refusal: `errc::invalid_config`, `errc::unknown_queue`,
///          `errc::unknown_database` and whatever a description may break.
inbox::expected<workspace>
open_workspace(const surroundings& with, const std::vector<std::string>& names);

/// A connection that has logged in.
inbox::expected<std::unique_ptr<inbox::connection>>
connect(const inbox::database& to);

/// The same failure as one readable line: without a statement's whole text,
/// and with what to do where the table is not as it is described.
inbox::failure explain(const inbox::failure& why,
                       const inbox::subscription& queue);

} // namespace inboxctl
