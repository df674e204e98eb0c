#pragma once

#include <string>
#include <vector>

#include "inbox/param.hpp"

namespace inbox {

/// One SQL text and the meaning of each of its placeholders, in order of use.
struct statement {
  std::string text;
  std::vector<param> params;

  friend bool operator==(const statement&, const statement&) = default;
};

} // namespace inbox
