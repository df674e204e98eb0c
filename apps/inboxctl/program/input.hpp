#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inbox/handler.hpp"

#include "program/descriptor.hpp"

namespace inboxctl {

/// What a program is told of its delivery.
struct program_input {
  descriptor octets; ///< Standard input: the payload, or the row as JSON.
  std::vector<std::string> environment; ///< "NAME=value", ours alone.
  /// Headers too long for the environment; open as long as the program runs.
  descriptor headers;
};

/// True for the variables `describe_delivery` gives a meaning to: a program
/// never inherits one of them from whoever started inboxctl.
bool is_ours(std::string_view variable);

/// @returns `errc::undecodable` when the headers are no JSON object of strings
///          or a role's value cannot stand in the environment.
inbox::expected<program_input> describe_delivery(const inbox::delivery& d,
                                                 const inbox::context& ctx);

/// One row of a batch as a JSON object: its id, attempt, headers and payload;
/// the payload is text, octets that are no UTF-8 as base64 under
/// "payload_base64", and in row mode the row as `row_json` writes it.
/// @returns `errc::undecodable` as `describe_delivery` does.
inbox::expected<std::string> describe_item(const inbox::delivery& d);

/// What a program is told of the rows of a batch.
inbox::expected<program_input>
describe_batch(const std::string& queue, const std::vector<std::string>& items);

} // namespace inboxctl
