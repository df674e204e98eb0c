#include "inbox/sqlite/claim_rows.hpp"

#include "inbox/sqlite/times.hpp"

namespace inbox::sqlite {

namespace {

bool holds_time(const table_column& c) {
  switch (c.role) {
    case column_role::retry_after:
    case column_role::locked_until:
    case column_role::processed_at: return true;
    default: return c.type == column_type::time;
  }
}

/// SQLite has neither times, booleans nor JSON; the description tells. What
/// does not read as described stays as it is stored.
value_view typed(const table_column& c, const value_view& stored) {
  if (holds_time(c))
    if (const auto t = read_time(stored))
      return value_view::of(*t);
  if (c.type == column_type::boolean)
    if (const auto n = stored.as_integer())
      return value_view::of(*n != 0);
  if (c.type == column_type::json)
    if (const auto text = stored.as_text())
      return value_view::json(*text);
  return stored;
}

std::vector<std::string> names_of(const table& t) {
  std::vector<std::string> names;
  for (const auto& c : t.columns())
    names.push_back(c.name);
  return names;
}

/// One pass over the SELECT's rows.
class pass {
public:
  pass(open_file& in, served& with)
    : in_{in},
      with_{with},
      rows_{names_of(with.description())},
      id_{*with.description().position(column_role::id)},
      due_{with.description().position(column_role::retry_after)} {}

  /// @returns false when the statements were replaced meanwhile.
  expected<bool> read(prepared& from) {
    for (auto row = from.step();; row = from.step()) {
      if (!row)
        return tl::make_unexpected(row.error());
      if (!*row)
        break;
      auto fits = check(from);
      if (!fits)
        from.reset();
      if (!fits || !*fits)
        return fits;
      add(from);
    }
    from.reset();
    return true;
  }

  row_set::builder take() { return std::move(rows_); }

private:
  expected<bool> check(prepared& from) {
    if (!due_)
      return true;
    const auto due = from.at(static_cast<int>(*due_));
    if (is_plain_time(due))
      return true;
    // `from` may be gone after this.
    const auto id = value::copy_of(from.at(static_cast<int>(id_)));
    const auto seen = value::copy_of(due);
    auto adapted = with_.adapts_to(in_, id, seen);
    if (!adapted)
      return adapted;
    return !*adapted;
  }

  void add(const prepared& from) {
    int n = 0;
    for (const auto& c : with_.description().columns())
      rows_.add(typed(c, from.at(n++)));
  }

  open_file& in_;
  served& with_;
  row_set::builder rows_;
  std::size_t id_;
  std::optional<std::size_t> due_;
};

} // namespace

expected<selected_rows> select_rows(open_file& in, served& with,
                                    bindings values, std::uint32_t wanted) {
  // The exact statements fit every row, so the second pass is the last.
  for (;;) {
    const auto [limit, select] = with.statements().claim(wanted);
    values.limit = limit;
    if (auto bound = select.bind(values); !bound)
      return tl::make_unexpected(bound.error());
    pass rows{in, with};
    auto fits = rows.read(select.text);
    if (!fits)
      return tl::make_unexpected(fits.error());
    if (*fits)
      return selected_rows{rows.take(), limit};
  }
}

} // namespace inbox::sqlite
