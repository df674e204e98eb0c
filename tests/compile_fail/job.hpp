#pragma once

#include <optional>

#include "inbox/describe.hpp"

// What the cases describe; each breaks one rule.

struct strange {};

struct job {
  std::int64_t number = 0;
  std::string name;
  std::optional<std::string> customer;
  std::int32_t tries = 0;
  double share = 0;
  inbox::header_map meta;
  std::optional<inbox::time_point> due;
  std::string body;
  strange odd;
};

struct other {
  std::int64_t key = 0;
};
