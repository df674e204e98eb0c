#include "inbox/test/raw_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <pqxx/pqxx>

#include <sqlite3.h>

namespace inbox::test {

namespace {

std::string hex(const std::string& octets) {
  constexpr auto digits = "0123456789abcdef";
  std::string out;
  for (const unsigned char c : octets)
    (out += digits[c >> 4]) += digits[c & 15];
  return out;
}

class postgres_database final : public raw_database {
public:
  explicit postgres_database(const std::string& url) : link_{url} {
    run("SET TIME ZONE 'UTC'");
  }

  std::vector<raw_row> ask(const std::string& sql) override {
    pqxx::nontransaction tx{link_};
    std::vector<raw_row> rows;
    for (const auto& r : tx.exec(sql)) {
      raw_row row;
      for (const auto& f : r)
        row.push_back(f.is_null() ? std::nullopt
                                  : std::optional{f.as<std::string>()});
      rows.push_back(std::move(row));
    }
    return rows;
  }

  std::string octets(const std::string& what) const override {
    return "'\\x" + hex(what) + "'::bytea";
  }
  std::string instant(time_point t) const override {
    return "'" + to_sql_text(t) + "+00'::timestamptz";
  }
  std::string shown(const std::string& column) const override {
    return "to_char(" + column
           + " AT TIME ZONE 'UTC', "
             "'YYYY-MM-DD HH24:MI:SS.US')";
  }

private:
  pqxx::connection link_;
};

class sqlite_database final : public raw_database {
public:
  sqlite_database(const std::string& path, duration busy)
    : file_{path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
            int(busy / 1ms)} {}

  std::vector<raw_row> ask(const std::string& sql) override {
    std::vector<raw_row> rows;
    // One statement at a time; triggers hold semicolons of their own, so the
    // database says where each ends.
    const char* rest = sql.c_str();
    while (*rest != '\0') {
      sqlite3_stmt* one = nullptr;
      const char* next = nullptr;
      if (sqlite3_prepare_v2(file_.getHandle(), rest, -1, &one, &next)
          != SQLITE_OK)
        throw SQLite::Exception(file_.getHandle());
      const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owned{
        one, sqlite3_finalize};
      if (one)
        rows = rows_of(one);
      rest = next;
    }
    return rows;
  }

  std::string octets(const std::string& what) const override {
    return "X'" + hex(what) + "'";
  }
  std::string instant(time_point t) const override {
    return "'" + to_sql_text(t) + "'";
  }
  std::string shown(const std::string& column) const override { return column; }

private:
  std::vector<raw_row> rows_of(sqlite3_stmt* of) {
    std::vector<raw_row> rows;
    int step;
    while ((step = sqlite3_step(of)) == SQLITE_ROW) {
      raw_row row;
      for (int c = 0; c < sqlite3_column_count(of); ++c) {
        const auto* text = reinterpret_cast<const char*>(
          sqlite3_column_text(of, c));
        row.push_back(text ? std::optional{std::string{text}} : std::nullopt);
      }
      rows.push_back(std::move(row));
    }
    if (step != SQLITE_DONE)
      throw SQLite::Exception(file_.getHandle());
    return rows;
  }

  SQLite::Database file_;
};

} // namespace

std::int64_t raw_database::count(const std::string& sql) {
  const auto rows = ask(sql);
  return std::stoll(rows.at(0).at(0).value());
}

std::unique_ptr<raw_database> open_postgres(const std::string& url) {
  return std::make_unique<postgres_database>(url);
}

std::unique_ptr<raw_database> open_sqlite(const std::string& path,
                                          duration busy) {
  return std::make_unique<sqlite_database>(path, busy);
}

} // namespace inbox::test
