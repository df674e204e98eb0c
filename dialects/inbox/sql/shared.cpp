#include "inbox/sql/shared.hpp"

#include <algorithm>

namespace inbox::sql {

namespace {

writer& update(writer& w, const spelling& how) {
  return w.text("UPDATE ").name(how.of.name());
}

statement settle(const spelling& how, const std::vector<piece>& assignments) {
  writer w{how.speaks};
  update(w, how).set(assignments);
  finish_settlement(w, how);
  return w.finish();
}

/// Marks the row where the table can; deletes it otherwise (C-039).
statement finished(const spelling& how) {
  if (const auto* mark = how.of.find(column_role::processed_at))
    return settle(how, {assign(mark, how.now), no_lease(how.of)});
  writer w{how.speaks};
  w.text("DELETE FROM ").name(how.of.name());
  finish_settlement(w, how);
  return w.finish();
}

/// The row lock form counts here, the lease form has counted at the claim.
piece count_again(const spelling& how) {
  if (how.of.kind() == form::lease)
    return {};
  return assign(how.of.find(column_role::attempt), how.counted);
}

piece uncount(const table& t) {
  const auto* c = t.find(column_role::attempt);
  if (!c)
    return {};
  return assign(c, [=](writer& w) { w.name(*c).text(" - 1"); });
}

statement read_back(const spelling& how) {
  writer w{how.speaks};
  w.text("SELECT ").name(how.of.id()).text(" FROM ").name(how.of.name());
  return w.where(how.held).text(how.locking).finish();
}

void put_lease(statement_set& to, const spelling& how) {
  const auto& t = how.of;
  to.put(event::unclaim, {settle(how, {no_lease(t), uncount(t)})});
  to.put(event::extend, {settle(how, {assign(t.find(column_role::locked_until),
                                             bound(param::meaning::token))})});
  to.put(event::held, {read_back(how)});
}

} // namespace

void finish_settlement(writer& w, const spelling& how) {
  w.where(how.held);
  if (how.which == rows::many)
    w.text(" RETURNING ").name(how.of.id());
}

void put_settlements(statement_set& to, const spelling& how) {
  const auto& t = how.of;
  to.put(event::ack, {finished(how)});
  to.put(event::discard, {finished(how)});
  // Without a count to write, ending the transaction returns the row (C-051).
  if (t.kind() == form::lease || t.has(column_role::attempt))
    to.put(event::retry, {settle(how, {no_lease(t), count_again(how)})});
  if (const auto* due = t.find(column_role::retry_after))
    to.put(event::retry_after, {settle(how, {assign(due, how.due_later),
                                             no_lease(t), count_again(how)})});
  if (const auto* group = t.find(column_role::group))
    to.put(event::dead_letter,
           {settle(how, {assign(group, bound(param::meaning::destination)),
                         no_lease(t)})});
  if (t.kind() == form::lease)
    put_lease(to, how);
}

std::vector<piece> claim_order(const table& t) {
  return {named(t.find(column_role::priority)),
          named(t.find(column_role::retry_after)), named(&t.id())};
}

std::vector<std::uint32_t> claim_limits(const subscription& s) {
  const auto batch = s.settings.batch;
  // A row lock claim keeps its transaction open, so it takes one call's rows.
  const auto most = s.description.kind() == form::lease
                      ? std::max(s.settings.prefetch, batch)
                      : batch;
  std::vector<std::uint32_t> limits;
  for (const std::uint32_t n : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000})
    if (n <= most)
      limits.push_back(n);
  if (!std::binary_search(limits.begin(), limits.end(), batch))
    limits.insert(std::lower_bound(limits.begin(), limits.end(), batch), batch);
  return limits;
}

expected<statement> insert(const dialect& speaks, const table& t,
                           std::span<const std::uint16_t> columns,
                           std::size_t rows) {
  writer w{speaks};
  w.text("INSERT INTO ").name(t.name());
  std::vector<piece> names;
  std::vector<piece> values;
  for (const auto at : columns) {
    if (at >= t.columns().size())
      return tl::unexpected(
        failure{errc::invalid_description,
                "there is no column at position " + std::to_string(at)}
          .on_table(t.name().qualified())
          .at("insert"));
    names.push_back(named(&t.columns()[at]));
    values.push_back([=](writer& to) {
      to.bind(param{param::meaning::value, at});
    });
  }
  const std::vector<piece> lists(
    rows, [&values](writer& to) { to.text("(").list(values).text(")"); });
  if (columns.empty())
    w.text(" DEFAULT VALUES");
  else
    w.text(" (").list(names).text(") VALUES ").list(lists);
  return w.text(" RETURNING ").name(t.id()).finish();
}

std::vector<std::uint16_t> written_columns(const table& t) {
  std::vector<std::uint16_t> positions;
  for (std::size_t i = 0; i < t.columns().size(); ++i)
    if (!t.columns()[i].generated)
      positions.push_back(static_cast<std::uint16_t>(i));
  return positions;
}

expected<void> check_served(const table& t) {
  if (t.is_fifo())
    return refuse(errc::unsupported_fifo,
                  "FIFO groups are not served yet; leave out \"fifo\" to serve "
                  "the group without its order");
  if (t.kind() == form::advisory)
    return refuse(errc::unsupported_form,
                  "the advisory form is not served yet; leave out the lock key "
                  "and add a locked_until column for the lease form");
  return {};
}

tl::unexpected<failure> refused(failure why, const subscription& s) {
  return tl::unexpected(std::move(why).in_subscription(s.name).on_table(
    s.description.name().qualified()));
}

} // namespace inbox::sql
