#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "inbox/error.hpp"

namespace bench {

struct close_file {
  void operator()(sqlite3* db) const noexcept { sqlite3_close(db); }
};
struct finalize_text {
  void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
};

/// A prepared statement of bare sqlite3. Bound text is not copied: it must
/// live until the next `reset`.
class prepared_text {
public:
  prepared_text(sqlite3_stmt* s) : text_{s} {}

  void bind(int at, std::int64_t n) { sqlite3_bind_int64(text_.get(), at, n); }
  void bind(int at, std::string_view s) {
    sqlite3_bind_text(text_.get(), at, s.data(), static_cast<int>(s.size()),
                      SQLITE_STATIC);
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return sqlite3_step(text_.get()); }
  std::int64_t integer_at(int column) const {
    return sqlite3_column_int64(text_.get(), column);
  }
  std::string text_at(int column) const;
  void reset() { sqlite3_reset(text_.get()); }

private:
  std::unique_ptr<sqlite3_stmt, finalize_text> text_;
};

/// A connection of bare sqlite3.
class sqlite_file {
public:
  /// Opens the file, made if it is not there.
  static inbox::expected<sqlite_file> open(const std::string& path);

  inbox::expected<void> run(const std::string& texts);
  inbox::expected<prepared_text> prepare(const std::string& text);
  /// The first column of the first row.
  inbox::expected<std::string> ask(const std::string& query);
  int changes() const { return sqlite3_changes(db_.get()); }
  tl::unexpected<inbox::failure> failed() const;

private:
  explicit sqlite_file(sqlite3* db) : db_{db} {}

  std::unique_ptr<sqlite3, close_file> db_;
};

} // namespace bench
