#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <variant>
#include <vector>

#include "inbox/statement.hpp"

namespace inbox::test {

/// A database in memory, for statements alone.
class scratch_database {
public:
  using bound = std::variant<std::nullptr_t, std::int64_t, std::string>;

  void run(const std::string& text) { db_.exec(text); }

  /// The database's word on a statement; empty when it prepares.
  std::string prepare(const statement& s) {
    try {
      SQLite::Statement prepared{db_, s.text};
      if (prepared.getBindParameterCount() == int(s.params.size()))
        return "";
      return "another number of placeholders: " + s.text;
    } catch (const std::exception& e) {
      return s.text + "\n" + e.what();
    }
  }

  /// The values of one run, "NULL" for none, rows separated by semicolons.
  std::string ask(const std::string& text, const std::vector<bound>& values) {
    SQLite::Statement prepared{db_, text};
    for (std::size_t i = 0; i < values.size(); ++i)
      std::visit([&](const auto& v) { bind(prepared, int(i) + 1, v); },
                 values[i]);
    std::string seen;
    while (prepared.executeStep()) {
      seen += seen.empty() ? "" : "; ";
      for (int c = 0; c < prepared.getColumnCount(); ++c)
        seen += (c ? " " : "")
                + (prepared.isColumnNull(c)
                     ? std::string{"NULL"}
                     : prepared.getColumn(c).getString());
    }
    return seen;
  }

  int changes() { return db_.getChanges(); }

private:
  static void bind(SQLite::Statement& to, int at, std::nullptr_t) {
    to.bind(at);
  }
  static void bind(SQLite::Statement& to, int at, const auto& v) {
    to.bind(at, v);
  }

  SQLite::Database db_{":memory:",
                       SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
};

} // namespace inbox::test
