#include "inbox/sqlite/enqueue.hpp"

#include <memory>

#include <SQLiteCpp/Database.h>

#include "inbox/insertion.hpp"
#include "inbox/sqlite/dialect.hpp"
#include "inbox/sqlite/errors.hpp"
#include "inbox/sqlite/statement_values.hpp"

namespace inbox::sqlite {

namespace {

struct finalize {
  void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
};

/// Rows written within a savepoint, which takes them back unless it is kept.
class savepoint {
public:
  explicit savepoint(sqlite3* db) : db_{db} {}
  savepoint(const savepoint&) = delete;
  ~savepoint() {
    if (is_open_)
      run("ROLLBACK TO inbox_enqueue; RELEASE inbox_enqueue");
  }

  expected<void> open() {
    return run("SAVEPOINT inbox_enqueue").map([this] { is_open_ = true; });
  }

  expected<void> keep() {
    return run("RELEASE inbox_enqueue").map([this] { is_open_ = false; });
  }

private:
  expected<void> run(const char* text) {
    const int code = sqlite3_exec(db_, text, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
      return tl::make_unexpected(to_failure(code, db_));
    return {};
  }

  sqlite3* db_;
  bool is_open_ = false;
};

/// Writes one insert after the other; prepares one that comes again once.
class row_writer {
public:
  explicit row_writer(sqlite3* db) : db_{db} {}

  expected<void> write(const insertion& what) {
    if (auto ready = prepare(what.insert); !ready)
      return ready;
    int n = 0;
    for (const auto& v : what.values)
      if (const int code = bind_value(statement_.get(), ++n, v);
          code != SQLITE_OK)
        return refused(code);
    return step();
  }

  std::vector<value> ids() && { return std::move(ids_); }

private:
  expected<void> prepare(const std::shared_ptr<const statement>& insert) {
    if (insert == insert_)
      return {};
    const auto& text = insert->text;
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(
      db_, text.c_str(), static_cast<int>(text.size()), &made, nullptr);
    statement_.reset(made);
    if (code != SQLITE_OK)
      return refused(code);
    insert_ = insert;
    return {};
  }

  /// The id is a row of the answer; a trigger that keeps the row answers none.
  expected<void> step() {
    auto* s = statement_.get();
    value id;
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
      id = value::copy_of(value_at(s, 0));
      code = sqlite3_step(s);
    }
    if (code != SQLITE_DONE)
      return refused(code);
    sqlite3_reset(s);
    ids_.push_back(std::move(id));
    return {};
  }

  /// Says why before the reset, which the savepoint's end needs.
  expected<void> refused(int code) {
    auto why = to_failure(code, db_);
    sqlite3_reset(statement_.get());
    return tl::make_unexpected(std::move(why));
  }

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, finalize> statement_;
  std::shared_ptr<const statement> insert_; ///< what is prepared
  std::vector<value> ids_;
};

expected<std::vector<value>> write(sqlite3* db, const table& to,
                                   const new_rows& rows) {
  row_writer writes{db};
  const dialect speaks;
  insertions gathered{speaks, to, [&writes](const insertion& made) {
                        return writes.write(made);
                      }};
  return gathered.add(rows).map([&writes] { return std::move(writes).ids(); });
}

expected<std::vector<value>> write_all(sqlite3* db, const table& to,
                                       const new_rows& rows) {
  savepoint all{db};
  return all.open()
    .and_then([&] { return write(db, to, rows); })
    .and_then([&](std::vector<value> ids) {
      return all.keep().map([&ids] { return std::move(ids); });
    });
}

failure on_table(failure why, const table& to) {
  return std::move(why).on_table(to.name().qualified()).at("insert");
}

} // namespace

namespace detail {

expected<value> enqueue(SQLite::Database& in, const table& to,
                        const new_rows& row) {
  return write(in.getHandle(), to, row)
    .map([](std::vector<value> ids) { return std::move(ids.front()); })
    .map_error([&to](failure why) { return on_table(std::move(why), to); });
}

expected<std::vector<value>> enqueue_many(SQLite::Database& in, const table& to,
                                          const new_rows& rows) {
  if (rows.count == 0)
    return std::vector<value>{};
  return write_all(in.getHandle(), to, rows).map_error([&to](failure why) {
    return on_table(std::move(why), to);
  });
}

} // namespace detail

expected<value> enqueue(SQLite::Database& in, const subscription& queue,
                        const new_row& row, time_point now) {
  return detail::enqueue(in, queue.description, rows_of(queue, {&row, 1}, now))
    .map_error([&queue](failure why) {
      return std::move(why).in_subscription(queue.name);
    });
}

expected<std::vector<value>> enqueue_many(SQLite::Database& in,
                                          const subscription& queue,
                                          std::span<const new_row> rows,
                                          time_point now) {
  return detail::enqueue_many(in, queue.description, rows_of(queue, rows, now))
    .map_error([&queue](failure why) {
      return std::move(why).in_subscription(queue.name);
    });
}

} // namespace inbox::sqlite
