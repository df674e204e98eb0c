#include "inbox/sqlite/prepared.hpp"

#include "inbox/sqlite/errors.hpp"
#include "inbox/sqlite/statement_values.hpp"

namespace inbox::sqlite {

expected<prepared> prepared::make(open_file& in, std::string_view text,
                                  std::string_view* rest) {
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(in.raw(), text.data(),
                                      static_cast<int>(text.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made, &tail);
  if (code != SQLITE_OK)
    return tl::make_unexpected(in.fault(code));
  if (rest != nullptr)
    *rest = text.substr(static_cast<std::size_t>(tail - text.data()));
  return prepared{in, made};
}

bool prepared::is_read_only() const noexcept {
  return sqlite3_stmt_readonly(statement_.get()) != 0;
}

int prepared::placeholders() const noexcept {
  return sqlite3_bind_parameter_count(statement_.get());
}

int prepared::columns() const noexcept {
  return sqlite3_column_count(statement_.get());
}

const char* prepared::column_name(int column) const noexcept {
  return sqlite3_column_name(statement_.get(), column);
}

expected<void> prepared::bind(int n, const value_view& v) {
  const int code = bind_value(statement_.get(), n, v);
  if (code != SQLITE_OK)
    return tl::make_unexpected(in_->fault(code));
  return {};
}

expected<bool> prepared::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  auto why = in_->fault(code);
  reset();
  return tl::make_unexpected(std::move(why));
}

value_view prepared::at(int column) const noexcept {
  return value_at(statement_.get(), column);
}

void prepared::reset() noexcept {
  sqlite3_reset(statement_.get());
}

expected<std::uint64_t> prepared::run() {
  for (auto more = step();; more = step()) {
    if (!more)
      return tl::make_unexpected(more.error());
    if (!*more)
      break;
  }
  const auto changed = sqlite3_changes64(in_->raw());
  reset();
  return static_cast<std::uint64_t>(changed);
}

} // namespace inbox::sqlite
