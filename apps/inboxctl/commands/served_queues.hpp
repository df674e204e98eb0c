#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/find.hpp"
#include "program/spawner.hpp"
#include "workspace.hpp"

namespace inboxctl {

/// A queue and the program that handles its rows.
struct served_queue {
  inbox::subscription queue;
  program handles;
};

/// What the command line says instead of the configuration.
struct serve_overrides {
  std::optional<std::uint32_t> workers;
  std::optional<std::vector<std::string>> exec;
};

/// Finds each queue's program and checks what only `serve` refuses.
/// @returns `errc::invalid_setting` for a queue without a program, and
///          `errc::handler_failed` for a missing one.
inbox::expected<std::vector<served_queue>>
prepare_queues(const workspace& work, const serve_overrides& instead);

/// Reads the columns of the tables that are served whole.
inbox::expected<void> read_whole_tables(const workspace& work,
                                        std::vector<served_queue>& queues);

/// True when `read_whole_tables` has to ask the database.
bool serves_whole_tables(const workspace& work);

/// Starts programs through `inboxctl-launch`, which lies beside this program.
/// @returns `errc::handler_failed` when it does not.
inbox::expected<std::shared_ptr<spawner>> make_spawner();

} // namespace inboxctl
