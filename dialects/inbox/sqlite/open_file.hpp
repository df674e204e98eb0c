#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <SQLiteCpp/Database.h>

#include "inbox/driver.hpp"
#include "inbox/sqlite/breaker.hpp"
#include "inbox/sqlite/location.hpp"
#include "inbox/sqlite/write_queue.hpp"

namespace inbox::sqlite {

/// An open database and what bounds its calls: the time-out of a statement,
/// the wait for somebody else's lock, an interruption from another thread.
///
/// SQLiteCpp opens, closes and owns the connection; statements run on its
/// handle through SQLite's own calls, which return codes instead of throwing
/// and copy no value. Used by one thread at a time.
class open_file {
public:
  /// Opens an existing file for reading and writing; reads its first page, so
  /// that a file which is no database is found here.
  /// @param stop outlives the file.
  /// @returns `errc::connect`, or `errc::busy` when somebody holds it locked.
  static expected<std::unique_ptr<open_file>>
  open(const location& where, const session_settings& bounds, breaker& stop);

  ~open_file();

  sqlite3* raw() const noexcept { return db_.getHandle(); }

  /// The statement time-out counts from now on.
  void start_call() noexcept;

  /// No time-out: for what must end once, such as the first look at a table.
  void start_long_call() noexcept { deadline_.reset(); }

  /// What a result code of the call under way means.
  failure fault(int code) const;

  bool is_writable() const noexcept;
  bool in_transaction() const noexcept;

  /// Queues behind this process' other writers, then BEGIN IMMEDIATE.
  expected<void> begin();

  /// @returns `errc::outcome_unknown` when the disk failed in the commit;
  ///          after any other failure nothing of the transaction is written.
  expected<void> commit();

  void roll_back() noexcept;

  /// This process' writers of the same file.
  expected<write_turn> enter_queue();

  /// Runs one text without values or rows.
  expected<void> run(const char* text);

private:
  open_file(SQLite::Database db, const session_settings& bounds, breaker& stop);
  static int on_busy(void* self, int waits);
  static int on_progress(void* self);

  SQLite::Database db_;
  session_settings bounds_;
  breaker& stop_;
  std::optional<write_queue::instant> deadline_;
  write_queue::instant busy_until_;
  std::shared_ptr<write_queue> writers_;
  write_turn turn_; ///< held from `begin` to the transaction's end
};

} // namespace inbox::sqlite
