#pragma once

#include <string>
#include <string_view>

#include "inbox/error.hpp"

namespace inbox {

/// A table's name, with the schema it lies in where one is given.
class table_name {
public:
  table_name() = default;

  /// @param schema may be empty. Neither part may hold a dot (C-009).
  static expected<table_name> make(std::string schema, std::string name);

  /// Splits "schema.table" at its only dot (C-043).
  static expected<table_name> parse(std::string_view qualified);

  const std::string& schema() const noexcept { return schema_; }
  const std::string& name() const noexcept { return name_; }

  /// "schema.table", or the bare name; unquoted.
  std::string qualified() const;

  friend bool operator==(const table_name&, const table_name&) = default;

private:
  std::string schema_;
  std::string name_;
};

} // namespace inbox
