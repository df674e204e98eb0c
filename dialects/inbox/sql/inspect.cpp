#include "inbox/sql/inspect.hpp"

#include "inbox/sql/conditions.hpp"

namespace inbox::sql {

namespace {

const table& table_of(const inspection& how) {
  return how.of.description;
}

piece column_or_null(const table& t, column_role role) {
  const auto* c = t.find(role);
  return c ? named(c) : literal("NULL");
}

/// The ids of the due rows nobody has locked, under the name "free".
void free_rows(writer& w, const inspection& how) {
  const auto& t = table_of(how);
  if (t.kind() != form::row_lock)
    return;
  w.text("WITH free AS MATERIALIZED (SELECT ").name(t.id());
  w.text(" FROM ").name(t.name());
  w.where({of_group(t), how.due, not_processed(t)});
  w.text(" FOR KEY SHARE SKIP LOCKED) ");
}

/// Tells due rows that are free from those in work.
piece due_state(const inspection& how) {
  const auto& t = table_of(how);
  if (t.kind() != form::row_lock)
    return literal("'ready'");
  return [&t](writer& w) {
    w.text("CASE WHEN ").name(t.id()).text(" IN (SELECT ").name(t.id());
    w.text(" FROM free) THEN 'ready' ELSE 'in-work' END");
  };
}

/// The state's text. An unreadable due time makes the condition NULL, and so
/// the row delayed.
piece state(const inspection& how) {
  return [&how](writer& w) {
    const auto& t = table_of(how);
    w.text("CASE");
    if (const auto* c = t.find(column_role::processed_at))
      w.text(" WHEN ").name(*c).text(" IS NOT NULL THEN 'processed'");
    if (t.has(column_role::locked_until))
      w.text(" WHEN NOT ").put(not_leased(t)).text(" THEN 'in-work'");
    if (how.due)
      w.text(" WHEN ").put(how.due).text(" THEN ").put(due_state(how));
    // CASE wants a WHEN, which a table of nothing but an id has no use for.
    else
      w.text(" WHEN 1 = 1 THEN ").put(due_state(how));
    w.text(" ELSE 'delayed' END");
  };
}

/// A fresh row's attempt is 1, also where the column is still NULL.
piece attempt(const table& t) {
  const auto* c = t.find(column_role::attempt);
  if (!c)
    return literal("NULL");
  return [c](writer& w) { w.text("COALESCE(").name(*c).text(", 1)"); };
}

} // namespace

statement count_rows(const inspection& how) {
  const auto& t = table_of(how);
  writer w{how.speaks};
  free_rows(w, how);
  w.text("SELECT state, attempt, count(*), max(age) FROM (SELECT ");
  w.put(state(how)).text(" AS state, ");
  w.put(attempt(t)).text(" AS attempt, ");
  w.put(how.age ? how.age : literal("NULL")).text(" AS age FROM ");
  w.name(t.name()).where({of_group(t)});
  return w.text(") AS seen GROUP BY state, attempt").finish();
}

std::optional<statement> count_dead(const inspection& how) {
  const auto& t = table_of(how);
  writer w{how.speaks};
  w.text("SELECT count(*) FROM ");
  if (const auto target = how.of.dead_letter_table())
    return w.name(*target).finish();
  if (!how.of.dead_letter_group())
    return std::nullopt;
  const piece of_destination = [&t](writer& to) {
    to.name(*t.find(column_role::group)).text(" = ");
    to.bind(param::meaning::destination);
  };
  return w.name(t.name()).where({of_destination, not_processed(t)}).finish();
}

statement list_rows(const inspection& how, std::optional<row_state> only,
                    std::uint32_t limit) {
  const auto& t = table_of(how);
  const auto at = [&t](column_role role) { return column_or_null(t, role); };
  const std::vector<piece> columns{
    named(&t.id()),
    at(column_role::group),
    [&](writer& w) { w.put(state(how)).text(" AS inbox_state"); },
    attempt(t),
    at(column_role::retry_after),
    at(column_role::locked_until),
    at(column_role::processed_at)};
  piece wanted;
  if (only)
    wanted = [&](writer& w) {
      w.put(state(how)).text(" = '" + std::string{to_string(*only)} + "'");
    };
  writer w{how.speaks};
  free_rows(w, how);
  return w.text("SELECT ")
    .list(columns)
    .text(" FROM ")
    .name(t.name())
    .where({of_group(t), wanted})
    .order_by(how.order)
    .text(" LIMIT " + std::to_string(limit))
    .finish();
}

statement find_work(const inspection& how) {
  const auto& t = table_of(how);
  piece wanted = how.due;
  if (how.due && t.has(column_role::locked_until))
    wanted = [&](writer& w) {
      w.text("(").put(how.due).text(" OR NOT ").put(not_leased(t)).text(")");
    };
  return writer{how.speaks}
    .text("SELECT 1 FROM ")
    .name(t.name())
    .where({of_group(t), wanted, not_processed(t)})
    .text(" LIMIT 1")
    .finish();
}

tl::unexpected<failure> missing_table(const table_name& t) {
  return tl::make_unexpected(
    failure{errc::schema, "there is no such table"}.on_table(t.qualified()));
}

} // namespace inbox::sql
