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

} // namespace inboxctl
