#include "inbox/sql/conditions.hpp"

namespace inbox::sql {

namespace {

piece equals(const table_column* c, param::meaning what) {
  if (!c)
    return {};
  return [=](writer& w) { w.name(*c).text(" = ").bind(what); };
}

} // namespace

piece of_group(const table& t) {
  return equals(t.find(column_role::group), param::meaning::group);
}

piece not_processed(const table& t) {
  const auto* c = t.find(column_role::processed_at);
  if (!c)
    return {};
  return [=](writer& w) { w.name(*c).text(" IS NULL"); };
}

piece not_leased(const table& t) {
  const auto* c = t.find(column_role::locked_until);
  if (!c)
    return {};
  return [=](writer& w) {
    w.text("(").name(*c).text(" IS NULL OR ");
    w.name(*c).text(" <= ").bind(param::meaning::now).text(")");
  };
}

piece has_id(const table& t, rows which) {
  const auto* c = &t.id();
  if (which == rows::one)
    return equals(c, param::meaning::id);
  return [=](writer& w) {
    w.name(*c).text(" = ANY(").bind(param::meaning::ids).text(")");
  };
}

piece has_token(const table& t) {
  return equals(t.find(column_role::locked_until), param::meaning::held_token);
}

piece has_attempt(const table& t) {
  if (t.kind() != form::lease)
    return {};
  return equals(t.find(column_role::attempt), param::meaning::held_attempt);
}

piece assign(const table_column* to, piece value) {
  if (!to || !value)
    return {};
  return [to, value = std::move(value)](writer& w) {
    w.name(*to).text(" = ").put(value);
  };
}

piece no_lease(const table& t) {
  return assign(t.find(column_role::locked_until), literal("NULL"));
}

piece literal(std::string sql) {
  return [sql = std::move(sql)](writer& w) { w.text(sql); };
}

piece bound(param::meaning what) {
  return [=](writer& w) { w.bind(what); };
}

piece named(const table_column* c) {
  if (!c)
    return {};
  return [=](writer& w) { w.name(*c); };
}

} // namespace inbox::sql
