#pragma once

#include <memory>
#include <string_view>

#include "inbox/sqlite/open_file.hpp"
#include "inbox/value.hpp"

namespace inbox::sqlite {

/// One prepared statement. Its file outlives it. After a failure, and when
/// its rows are read, `reset` makes it ready for the next run.
class prepared {
public:
  /// Prepares the first statement of `text`.
  /// @param rest receives what follows that statement, where given.
  /// @returns the refusal; a statement without text is `is_empty`.
  static expected<prepared> make(open_file& in, std::string_view text,
                                 std::string_view* rest = nullptr);

  bool is_empty() const noexcept { return statement_ == nullptr; }
  bool is_read_only() const noexcept;
  int placeholders() const noexcept;
  int columns() const noexcept;
  const char* column_name(int column) const noexcept;

  /// Gives the `n`-th placeholder, counted from 1, its value. Octets of more
  /// than a few hundred bytes are not copied: they live until `reset`.
  expected<void> bind(int n, const value_view& v);

  /// @returns true when there is a row to read.
  expected<bool> step();

  /// The row's value; its octets live until the next `step` or `reset`.
  value_view at(int column) const noexcept;

  void reset() noexcept;

  /// Runs to the end, rows left unread, and resets.
  /// @returns the number of rows changed.
  expected<std::uint64_t> run();

private:
  struct finalizer {
    void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
  };

  prepared(open_file& in, sqlite3_stmt* s) noexcept : in_{&in}, statement_{s} {}

  open_file* in_;
  std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

} // namespace inbox::sqlite
