#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inbox/describe.hpp"

namespace quickstart {

/// A row of the queue: digest this file.
struct task {
  std::int64_t id = 0;
  std::string path;
  inbox::time_point due;
  std::int64_t attempt = 1;
  std::optional<inbox::time_point> locked_until;
};

consteval auto inbox_table(std::type_identity<task>) {
  using namespace inbox::role;
  return inbox::describe<task, "tasks">(
    id<&task::id>(generated), retry_after<&task::due>(generated),
    attempt<&task::attempt>(generated),
    locked_until<&task::locked_until>(generated), payload<&task::path>());
}

} // namespace quickstart
