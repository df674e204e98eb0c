#pragma once

#include <string_view>

namespace inbox {

// Databases as types, for what depends on one at compile time:
// `insert_sql<job, postgres_db>`. No driver is needed to name them.

struct postgres_db {
  static constexpr std::string_view name = "postgres";
};

struct mysql_db {
  static constexpr std::string_view name = "mysql";
};

struct sqlite_db {
  static constexpr std::string_view name = "sqlite";
};

} // namespace inbox
