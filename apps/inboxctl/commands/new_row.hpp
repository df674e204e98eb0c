#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "inbox/driver.hpp"
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

/// Writes rows that differ by their payload alone.
class row_writer {
public:
  /// @param from tells how the payload's column is declared.
  /// @pre `check_roles` accepted the options.
  static inbox::expected<row_writer> make(const inbox::dialect& speaks,
                                          inbox::connection& from,
                                          const inbox::subscription& queue,
                                          const row_options& how);

  const std::string& text() const noexcept { return insert_.text; }

  /// The values of one row, in the order of the insert's placeholders.
  std::vector<inbox::value> values(const std::string& payload) const;

private:
  row_writer() = default;

  inbox::statement insert_;
  std::vector<inbox::value> values_; ///< the payload's left NULL
  std::optional<std::size_t> payload_;
  bool is_text_ = false; ///< The payload's column holds text.
};

} // namespace inboxctl
