#include "inbox/sql/writer.hpp"

namespace inbox::sql {

writer& writer::text(std::string_view sql) {
  written_.text += sql;
  return *this;
}

writer& writer::name(std::string_view identifier) {
  return text(speaks_.quote(identifier));
}

writer& writer::name(const table_name& t) {
  if (!t.schema().empty())
    name(t.schema()).text(".");
  return name(t.name());
}

writer& writer::names(std::span<const table_column> columns) {
  std::string_view separator;
  for (const auto& c : columns) {
    text(separator).name(c);
    separator = ", ";
  }
  return *this;
}

writer& writer::bind(param what) {
  written_.params.push_back(what);
  return text(speaks_.placeholder(written_.params.size()));
}

writer& writer::put(const piece& p) {
  if (p)
    p(*this);
  return *this;
}

writer& writer::list(std::span<const piece> pieces) {
  return joined(pieces, "", ", ");
}

writer& writer::set(const std::vector<piece>& assignments) {
  return joined(assignments, " SET ", ", ");
}

writer& writer::where(const std::vector<piece>& conditions) {
  return joined(conditions, " WHERE ", " AND ");
}

writer& writer::order_by(const std::vector<piece>& keys) {
  return joined(keys, " ORDER BY ", ", ");
}

writer& writer::joined(std::span<const piece> pieces, std::string_view before,
                       std::string_view between) {
  for (const auto& p : pieces) {
    if (!p)
      continue;
    text(before).put(p);
    before = between;
  }
  return *this;
}

} // namespace inbox::sql
