#pragma once

#include <string>
#include <vector>

#include "postgres_link.hpp"

namespace bench {

/// A statement's parameters in Postgres' binary form.
class pg_arguments {
public:
  pg_arguments(const inbox::statement& s, const pg_values& with);

  int size() const noexcept { return static_cast<int>(octets_.size()); }
  const char* const* values() const noexcept { return values_.data(); }
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return formats_.data(); }

private:
  std::vector<std::string> octets_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

} // namespace bench
