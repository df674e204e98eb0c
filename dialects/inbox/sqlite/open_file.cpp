#include "inbox/sqlite/open_file.hpp"

#include <algorithm>
#include <array>

#include "inbox/sqlite/errors.hpp"

namespace inbox::sqlite {

namespace {

using std::chrono::steady_clock;

/// Instructions of SQLite's virtual machine between two looks at the clock:
/// about 100 microseconds of a scan.
constexpr int instructions_between_looks = 4000;

expected<SQLite::Database> open_database(const location& where) {
  try {
    return SQLite::Database{where.name,
                            // One thread at a time uses a connection.
                            SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX
                              | (where.is_uri ? SQLite::OPEN_URI : 0)};
  } catch (const SQLite::Exception& e) {
    return refuse(errc::connect, "the database file \"" + where.name
                                   + "\" does not open: " + e.what());
  }
}

/// A failure of the first look at a file, in the words of opening.
failure on_opening(const failure& f, const location& where) {
  if (f.code() == errc::busy || f.code() == errc::timed_out)
    return failure{f.code(), "the database file \"" + where.name
                               + "\" is locked: " + f.message()};
  return failure{errc::connect, "the database file \"" + where.name
                                  + "\" does not open: " + f.message()}
    .with_native(f.native());
}

} // namespace

open_file::open_file(SQLite::Database db, const session_settings& bounds,
                     breaker& stop)
  : db_{std::move(db)},
    bounds_{bounds},
    stop_{stop},
    writers_{write_queue::of(sqlite3_db_filename(raw(), "main"))} {
  sqlite3_extended_result_codes(raw(), 1);
  sqlite3_busy_handler(raw(), &open_file::on_busy, this);
  sqlite3_progress_handler(raw(), instructions_between_looks,
                           &open_file::on_progress, this);
  stop_.watch(raw());
}

open_file::~open_file() {
  stop_.forget();
}

expected<std::unique_ptr<open_file>>
open_file::open(const location& where, const session_settings& bounds,
                breaker& stop) {
  if (auto fine = check_file(where); !fine)
    return tl::make_unexpected(fine.error());
  auto db = open_database(where);
  if (!db)
    return tl::make_unexpected(db.error());
  std::unique_ptr<open_file> file{new open_file{std::move(*db), bounds, stop}};
  file->bounds_.busy_timeout = std::min(bounds.busy_timeout,
                                        bounds.connect_timeout);
  file->start_call();
  if (auto read = file->run("SELECT count(*) FROM sqlite_schema"); !read)
    return tl::make_unexpected(on_opening(read.error(), where));
  file->bounds_.busy_timeout = bounds.busy_timeout;
  return file;
}

void open_file::start_call() noexcept {
  deadline_ = steady_clock::now() + bounds_.statement_timeout;
}

failure open_file::fault(int code) const {
  const int kind = code & 0xff;
  // An interrupted wait for a lock ends as a failed one.
  if (stop_.is_broken() && (kind == SQLITE_INTERRUPT || kind == SQLITE_BUSY))
    return failure{errc::connection_lost,
                   "the session was interrupted; nothing was written"};
  if (kind != SQLITE_INTERRUPT)
    return to_failure(code, raw());
  return failure{errc::timed_out,
                 "the statement did not end within "
                   + to_string(bounds_.statement_timeout)
                   + "; look for a missing index or allow more time"};
}

bool open_file::is_writable() const noexcept {
  return sqlite3_db_readonly(raw(), "main") == 0;
}

bool open_file::in_transaction() const noexcept {
  return sqlite3_get_autocommit(raw()) == 0;
}

expected<write_turn> open_file::enter_queue() {
  auto until = steady_clock::now() + bounds_.busy_timeout;
  if (deadline_)
    until = std::min(until, *deadline_);
  if (writers_->enter(until, stop_))
    return write_turn{*writers_};
  if (stop_.is_broken())
    return tl::make_unexpected(fault(SQLITE_INTERRUPT));
  return refuse(errc::busy, "another transaction of this process writes to "
                            "the database for longer than "
                              + to_string(bounds_.busy_timeout));
}

expected<void> open_file::begin() {
  auto turn = enter_queue();
  if (!turn)
    return tl::make_unexpected(turn.error());
  // Not deferred: a transaction that has read and then writes is refused at
  // once when somebody else wrote meanwhile, whatever the busy time-out.
  if (auto begun = run("BEGIN IMMEDIATE"); !begun)
    return begun;
  turn_ = std::move(*turn);
  return {};
}

expected<void> open_file::commit() {
  auto done = run("COMMIT");
  if (!done) {
    const bool is_unknown = (sqlite3_extended_errcode(raw()) & 0xff)
                            == SQLITE_IOERR;
    auto why = done.error();
    roll_back();
    if (is_unknown)
      why = failure{errc::outcome_unknown, why.message()}.with_native(
        why.native());
    return tl::make_unexpected(std::move(why));
  }
  turn_ = {};
  return done;
}

void open_file::roll_back() noexcept {
  if (in_transaction()) {
    // A rollback must not be cut off by the time-out that led to it.
    deadline_.reset();
    sqlite3_exec(raw(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  turn_ = {};
}

expected<void> open_file::run(const char* text) {
  const int code = sqlite3_exec(raw(), text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK)
    return tl::make_unexpected(fault(code));
  return {};
}

/// Called while somebody else holds a lock. @returns 0 to give up.
int open_file::on_busy(void* self, int waits) {
  constexpr std::array<int, 8> naps{1, 1, 2, 5, 10, 15, 20, 25};
  auto& file = *static_cast<open_file*>(self);
  const auto now = steady_clock::now();
  if (waits == 0)
    file.busy_until_ = now + file.bounds_.busy_timeout;
  if (now >= file.busy_until_ || (file.deadline_ && now >= *file.deadline_))
    return 0;
  const auto nap = naps[std::min<std::size_t>(static_cast<std::size_t>(waits),
                                              naps.size() - 1)];
  return file.stop_.wait(std::chrono::milliseconds{nap}) ? 0 : 1;
}

/// Called during a statement. @returns 1 to end it.
int open_file::on_progress(void* self) {
  const auto& file = *static_cast<open_file*>(self);
  if (file.stop_.is_broken())
    return 1;
  return file.deadline_ && steady_clock::now() >= *file.deadline_ ? 1 : 0;
}

} // namespace inbox::sqlite
