#include "inbox/sqlite/dialect.hpp"

#include "inbox/sql/shared.hpp"
#include "inbox/sqlite/due_times.hpp"

namespace inbox::sqlite {

using namespace sql;

namespace {

/// The attempt as the claim reports it: one less than the stamp will store,
/// also for NULL, which counts as 1, and at the end of the integers. What is
/// no integer stays, for the decode policy to find.
piece reported(const table_column& c) {
  return [&](writer& w) {
    w.text("CASE WHEN ").name(c).text(" IS NULL THEN 1 WHEN ").name(c);
    w.text(" = 9223372036854775807 THEN 9223372036854775806 ELSE ");
    w.name(c).text(" END AS ").name(c);
  };
}

piece counted(const table& t) {
  const auto* c = t.find(column_role::attempt);
  if (!c)
    return {};
  return [=](writer& w) {
    w.text("CASE WHEN ").name(*c).text(" IS NULL THEN 2 WHEN typeof(");
    w.name(*c).text(") = 'integer' AND ").name(*c);
    w.text(" < 9223372036854775807 THEN ");
    w.name(*c).text(" + 1 ELSE ").name(*c).text(" END");
  };
}

/// A row whose attempt does not read is settled by its lease end alone: the
/// session binds NULL for it.
piece has_count(const table& t) {
  const auto* c = t.find(column_role::attempt);
  if (!c)
    return {};
  return [=](writer& w) {
    w.name(*c).text(" IS ifnull(").bind(param::meaning::held_attempt);
    w.text(", ").name(*c).text(")");
  };
}

std::vector<piece> before_claim(const table& t) {
  std::vector<piece> columns;
  for (const auto& c : t.columns())
    columns.push_back(c.role == column_role::attempt ? reported(c) : named(&c));
  return columns;
}

writer& select(writer& w, const table& t, const piece& due) {
  w.text("SELECT ").list(before_claim(t)).text(" FROM ").name(t.name());
  return w.where({of_group(t), due, not_processed(t), not_leased(t)});
}

std::vector<piece> order(const table& t, time_shape shape) {
  std::vector<piece> keys{named(t.find(column_role::priority))};
  if (t.has(column_role::retry_after))
    for (auto& key : due_order(t, shape))
      keys.push_back(std::move(key));
  keys.push_back(named(&t.id()));
  return keys;
}

piece is_due_or_has_no_time(const table& t, time_shape shape) {
  return [&t, shape](writer& w) {
    w.text("(").put(has_no_due_time(t)).text(" OR ");
    w.put(is_due(t, shape)).text(")");
  };
}

/// A NULL due time is due and comes first. An OR bounds no index, so that a
/// poll would read every delayed row: there are two selects, which SQLite
/// merges row by row and stops at the limit. With a priority the order
/// interleaves the two, and one walk of the index is the better plan.
void due_rows(writer& w, const table& t, time_shape shape) {
  if (!t.has(column_role::retry_after))
    return void(select(w, t, {}));
  if (t.has(column_role::priority))
    return void(select(w, t, is_due_or_has_no_time(t, shape)));
  select(w, t, has_no_due_time(t)).text(" UNION ALL ");
  select(w, t, is_due(t, shape));
}

statement claim(const inbox::dialect& speaks, const table& t,
                time_shape shape) {
  writer w{speaks};
  // A UNION is ordered by its columns alone, not by what is made of them.
  const auto wrapped = shape == time_shape::exact;
  w.text(wrapped ? "SELECT * FROM (" : "");
  due_rows(w, t, shape);
  w.text(wrapped ? ")" : "");
  return w.order_by(order(t, shape))
    .text(" LIMIT ")
    .bind(param::meaning::limit)
    .finish();
}

/// By id, because UPDATE .. IN (SELECT ..) RETURNING builds a tree for each
/// claim: this is 3.8 times faster for one row and equal from ten on.
statement stamp(const inbox::dialect& speaks, const table& t) {
  return writer{speaks}
    .text("UPDATE ")
    .name(t.name())
    .set(
      {assign(t.find(column_role::locked_until), bound(param::meaning::token)),
       assign(t.find(column_role::attempt), counted(t))})
    .where({has_id(t, rows::one), not_leased(t)})
    .finish();
}

spelling spell(const inbox::dialect& speaks, const table& t) {
  return {.speaks = speaks,
          .of = t,
          .which = rows::one,
          .held = {has_id(t, rows::one), has_token(t), has_count(t)},
          .now = bound(param::meaning::now),
          .due_later = bound(param::meaning::retry_at),
          .counted = counted(t),
          .locking = ""};
}

/// Two statements of one transaction; the moved row carries no lease (C-041).
std::vector<statement> to_table(const spelling& how, const table_name& target) {
  const auto& t = how.of;
  std::vector<piece> kept;
  for (const auto& c : t.columns())
    kept.push_back(c.role == column_role::locked_until ? literal("NULL")
                                                       : named(&c));
  writer copy{how.speaks};
  copy.text("INSERT INTO ").name(target).text(" (").names(t.columns());
  copy.text(") SELECT ").list(kept).text(" FROM ").name(t.name());
  copy.where(how.held);
  writer remove{how.speaks};
  remove.text("DELETE FROM ").name(t.name()).where(how.held);
  return {copy.finish(), remove.finish()};
}

expected<void> check_form(const table& t) {
  if (t.kind() != form::row_lock)
    return {};
  return refuse(errc::unsupported_form,
                "SQLite locks whole files, never rows; add a locked_until "
                "column for the lease form, or a lock_key");
}

/// Waiting rows of the queue whose due time is not `wanted`.
statement find_times(const inbox::dialect& speaks, const table& t,
                     const piece& wanted, std::string_view limit) {
  const auto& due = *t.find(column_role::retry_after);
  const piece other = [&](writer& w) {
    w.name(due).text(" IS NOT NULL AND NOT ").put(wanted);
  };
  return writer{speaks}
    .text("SELECT ")
    .name(t.id())
    .text(", ")
    .name(due)
    .text(" FROM ")
    .name(t.name())
    .where({of_group(t), other, not_processed(t)})
    .text(limit)
    .finish();
}

} // namespace

std::string dialect::quote(std::string_view identifier) const {
  // Backticks: an unknown name in double quotes is a string to SQLite, so that
  // a misspelt column would never match instead of failing (C-030).
  std::string quoted{'`'};
  for (const auto c : identifier)
    quoted.append(c == '`' ? 2 : 1, c);
  return quoted += '`';
}

std::string dialect::placeholder(std::size_t) const {
  return "?";
}

expected<std::string> dialect::begin(const table& t) const {
  switch (t.opens()) {
    case opening::standard: return "BEGIN";
    case opening::deferred: return "BEGIN DEFERRED";
    case opening::immediate: return "BEGIN IMMEDIATE";
    case opening::exclusive: return "BEGIN EXCLUSIVE";
    default: break;
  }
  return refuse(errc::unsupported_opening,
                "SQLite has no isolation level "
                  + std::string{to_string(t.opens())}
                  + "; choose deferred, immediate or exclusive");
}

expected<shared_statements> dialect::build(const subscription& s) const {
  const auto served = check_served(s.description)
                        .and_then([&] { return check_form(s.description); })
                        .and_then([&] { return begin(s.description); });
  if (!served)
    return refused(served.error(), s);
  auto set = std::make_shared<statement_set>(s);
  const auto& t = set->description();
  set->put_claim({0, claim(*this, t, shape_)});
  set->put(event::stamp, {stamp(*this, t)});
  put_settlements(*set, spell(*this, t));
  if (const auto target = s.dead_letter_table())
    set->put(event::dead_letter, to_table(spell(*this, t), *target));
  set->put(event::insert, {*insert(t, written_columns(t), 1)});
  return set;
}

expected<statement> dialect::insert(const table& t,
                                    std::span<const std::uint16_t> columns,
                                    std::size_t rows) const {
  return sql::insert(*this, t, columns, rows);
}

std::optional<statement> dialect::find_unreadable_time(const table& t) const {
  if (!t.has(column_role::retry_after))
    return std::nullopt;
  return find_times(*this, t, is_readable(t), " LIMIT 10");
}

} // namespace inbox::sqlite
