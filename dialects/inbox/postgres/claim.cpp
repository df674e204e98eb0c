#include "inbox/postgres/claim.hpp"

#include "inbox/sql/shared.hpp"

namespace inbox::postgres {

using namespace sql;

namespace {

/// One column as it was before the claim wrote into it.
piece before_claim(const table& t, const table_column& c) {
  if (c.role == column_role::attempt && t.kind() == form::lease)
    return [&](writer& w) { w.name(c).text(" - 1 AS ").name(c); };
  if (c.role == column_role::attempt)
    return
      [&](writer& w) { w.text("COALESCE(").name(c).text(", 1) AS ").name(c); };
  // It was free, or held by a lease that has ended.
  if (c.role == column_role::locked_until)
    return [&](writer& w) { w.text("NULL AS ").name(c); };
  return named(&c);
}

std::vector<piece> before_claim(const table& t) {
  std::vector<piece> columns;
  for (const auto& c : t.columns())
    columns.push_back(before_claim(t, c));
  return columns;
}

piece is_due(const table& t, from begin) {
  return [&t, begin](writer& w) {
    const auto& due = *t.find(column_role::retry_after);
    if (begin == from::mark)
      w.name(due).text(" >= ").bind(param::meaning::low_mark).text(" AND ");
    w.name(due).text(" <= ").put(now(t));
  };
}

piece has_no_due_time(const table& t) {
  return [&](writer& w) {
    w.name(*t.find(column_role::retry_after)).text(" IS NULL");
  };
}

piece is_due_or_has_no_time(const table& t) {
  return [&](writer& w) {
    w.text("(").put(has_no_due_time(t)).text(" OR ");
    w.put(is_due(t, from::start)).text(")");
  };
}

/// Rows that nobody works on, at most `limit`, locked in claim order.
void one_pass(writer& w, const table& t, const std::vector<piece>& what,
              const piece& due, std::uint32_t limit) {
  w.text("SELECT ").list(what).text(" FROM ").name(t.name());
  w.where({of_group(t), due, not_processed(t), not_leased(t)});
  w.order_by(claim_order(t));
  w.text(" LIMIT " + std::to_string(limit) + " FOR UPDATE SKIP LOCKED");
}

/// A NULL due time is due and comes first. `retry_after IS NULL OR ..` bounds
/// no index, so that each poll would read every delayed row: two passes over
/// the same index instead, the second only for what the first leaves over,
/// since LIMIT stops pulling. With a priority the order interleaves the two, so
/// that the condition has to be one, and a NULL is taken last in its priority.
void due_rows(writer& w, const table& t, const std::vector<piece>& what,
              const std::vector<piece>& names, std::uint32_t limit,
              from begin) {
  if (!t.has(column_role::retry_after))
    return one_pass(w, t, what, {}, limit);
  if (t.has(column_role::priority))
    return one_pass(w, t, what, is_due_or_has_no_time(t), limit);
  // Selects of their own, because a part of a UNION cannot lock.
  w.text("SELECT ").list(names).text(" FROM (");
  one_pass(w, t, what, has_no_due_time(t), limit);
  w.text(") AS undated UNION ALL SELECT ").list(names).text(" FROM (");
  one_pass(w, t, what, is_due(t, begin), limit);
  w.text(") AS due LIMIT " + std::to_string(limit));
}

/// A NULL due time comes first, wherever the index keeps it.
std::vector<piece> delivery_order(const table& t) {
  auto keys = claim_order(t);
  if (const auto* due = t.find(column_role::retry_after))
    keys[1] = [=](writer& w) { w.name(*due).text(" NULLS FIRST"); };
  return keys;
}

} // namespace

piece now(const table& t) {
  if (t.clock() == clock_kind::database)
    return literal("statement_timestamp()");
  return bound(param::meaning::now);
}

piece counted(const table& t) {
  const auto* c = t.find(column_role::attempt);
  if (!c)
    return {};
  return [=](writer& w) {
    w.text("CASE WHEN ").name(*c).text(" IS NULL THEN 2 WHEN ").name(*c);
    w.text(" < CASE pg_column_size(").name(*c);
    w.text(") WHEN 2 THEN 32767 WHEN 4 THEN 2147483647"
           " ELSE 9223372036854775807 END THEN ");
    w.name(*c).text(" + 1 ELSE ").name(*c).text(" END");
  };
}

/// The locking select is an array, and so is evaluated once whatever the plan:
/// a claim of n never takes more (B01). By ctid, which needs no second search
/// of the index. UPDATE gives rows back in no order, hence the outer ORDER BY
/// (B04).
statement lease_claim(const inbox::dialect& speaks, const table& t,
                      std::uint32_t limit, from begin) {
  writer w{speaks};
  const std::vector address{literal("ctid")};
  w.text("WITH claimed AS (UPDATE ").name(t.name());
  w.set(
    {assign(t.find(column_role::locked_until), bound(param::meaning::token)),
     assign(t.find(column_role::attempt), counted(t))});
  w.text(" WHERE ctid = ANY(ARRAY(");
  due_rows(w, t, address, address, limit, begin);
  w.text(")) RETURNING ").list(before_claim(t));
  w.text(") SELECT ").names(t.columns()).text(" FROM claimed");
  return w.order_by(delivery_order(t)).finish();
}

statement row_lock_claim(const inbox::dialect& speaks, const table& t,
                         std::uint32_t limit, from begin) {
  writer w{speaks};
  std::vector<piece> names;
  for (const auto& c : t.columns())
    names.push_back(named(&c));
  due_rows(w, t, before_claim(t), names, limit, begin);
  return w.finish();
}

} // namespace inbox::postgres
