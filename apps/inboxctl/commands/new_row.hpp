#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "inbox/driver.hpp"
#include "inbox/new_row.hpp"
#include "inbox/settings.hpp"

namespace inboxctl {

/// What the command line says of the rows to write.
struct row_options {
  std::optional<std::string> payload;
  std::vector<std::string> headers; ///< "K=V" each
  std::optional<std::string> delay;
  std::optional<std::int64_t> priority;
  std::optional<std::string> key;
  std::optional<std::string> group;
};

/// Declares the options for the roles beside the payload.
void add_row_options(CLI::App& to, row_options& how);

/// Checks the options against the table, and their values.
/// @param takes_payload whether an option says where the payload comes from.
/// @returns `errc::missing_role` for an option whose role the table lacks and
///          `errc::invalid_setting` for a header or a delay that does not read.
inbox::expected<void> check_roles(const inbox::queue_settings& queue,
                                  const row_options& how, bool takes_payload);

/// The row that the options tell of, its payload left empty.
/// @pre `check_roles` accepted the options.
inbox::new_row row_of(const row_options& how);

/// The queue with its payload's column declared as the database has it. It
/// only matters where a column takes text and octets alike (SQLite): readers
/// there see what was bound.
inbox::expected<inbox::subscription>
with_payload_type(const inbox::dialect& speaks, inbox::connection& from,
                  const inbox::queue_settings& queue);

} // namespace inboxctl
