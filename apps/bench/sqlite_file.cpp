#include "sqlite_file.hpp"

namespace bench {

std::string prepared_text::text_at(int column) const {
  const auto* octets = sqlite3_column_text(text_.get(), column);
  return octets ? reinterpret_cast<const char*>(octets) : "";
}

inbox::expected<sqlite_file> sqlite_file::open(const std::string& path) {
  sqlite3* db = nullptr;
  const auto code = sqlite3_open(path.c_str(), &db);
  sqlite_file file{db};
  if (code != SQLITE_OK)
    return file.failed();
  return file;
}

tl::unexpected<inbox::failure> sqlite_file::failed() const {
  return inbox::refuse(inbox::errc::statement, sqlite3_errmsg(db_.get()));
}

inbox::expected<void> sqlite_file::run(const std::string& texts) {
  if (sqlite3_exec(db_.get(), texts.c_str(), nullptr, nullptr, nullptr)
      != SQLITE_OK)
    return failed();
  return {};
}

inbox::expected<prepared_text> sqlite_file::prepare(const std::string& text) {
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v3(db_.get(), text.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                         &s, nullptr)
      != SQLITE_OK)
    return failed();
  return prepared_text{s};
}

inbox::expected<std::string> sqlite_file::ask(const std::string& query) {
  return prepare(query).and_then(
    [&](prepared_text text) -> inbox::expected<std::string> {
      if (text.step() != SQLITE_ROW)
        return failed();
      return text.text_at(0);
    });
}

} // namespace bench
