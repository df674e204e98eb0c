#include "inbox/postgres/dialect.hpp"

#include "inbox/postgres/claim.hpp"
#include "inbox/sql/schema.hpp"
#include "inbox/sql/shared.hpp"

namespace inbox::postgres {

using namespace sql;

namespace {

/// The server cuts longer names off; they then name something else.
constexpr std::size_t longest_name = 63;

/// The protocol counts a statement's values in 16 bits (B72).
constexpr std::size_t most_placeholders = 65'535;

piece due_later(const table& t) {
  if (t.clock() == clock_kind::host)
    return bound(param::meaning::retry_at);
  // Without the cast the server takes the parameter for a double (C-128).
  return [](writer& w) {
    w.text("statement_timestamp() + ").bind(param::meaning::retry_delay);
    w.text("::bigint * interval '1 microsecond'");
  };
}

spelling spell(const inbox::dialect& speaks, const table& t) {
  const auto which = t.kind() == form::lease ? rows::many : rows::one;
  return {.speaks = speaks,
          .of = t,
          .which = which,
          .held = {has_id(t, which), has_token(t), has_attempt(t)},
          .now = now(t),
          .due_later = due_later(t),
          .counted = counted(t),
          .locking = " FOR UPDATE"};
}

/// One statement, so that a row is never in both tables and never in neither.
/// The moved row carries no lease (C-041).
statement to_table(const spelling& how, const table_name& target) {
  const auto& t = how.of;
  std::vector<piece> kept;
  for (const auto& c : t.columns())
    kept.push_back(c.role == column_role::locked_until ? literal("NULL")
                                                       : named(&c));
  writer w{how.speaks};
  w.text("WITH moved AS (DELETE FROM ").name(t.name()).where(how.held);
  w.text(" RETURNING ").names(t.columns());
  w.text(") INSERT INTO ").name(target).text(" (").names(t.columns());
  w.text(") SELECT ").list(kept).text(" FROM moved");
  return w.text(" RETURNING ").name(t.id()).finish();
}

statement fetch(const inbox::dialect& speaks, const table& t) {
  return writer{speaks}
    .text("SELECT ")
    .names(t.columns())
    .text(" FROM ")
    .name(t.name())
    .where({has_id(t, rows::many)})
    .finish();
}

expected<void> check_name(std::string_view name) {
  if (name.size() <= longest_name)
    return {};
  return refuse(errc::identifier_too_long,
                "the name \"" + std::string{name} + "\" has "
                  + std::to_string(name.size())
                  + " bytes; Postgres keeps 63, use a shorter one");
}

expected<void> check_names(const subscription& s) {
  const auto& t = s.description;
  std::vector<std::string> names{t.name().schema(), t.name().name()};
  for (const auto& c : t.columns())
    names.push_back(c.name);
  if (const auto dead = s.dead_letter_table())
    names.insert(names.end(), {dead->schema(), dead->name()});
  for (const auto& name : names)
    if (auto checked = check_name(name); !checked)
      return checked;
  return {};
}

/// Where the claim order begins with the due time, what a claim took last lies
/// at the head of the order.
bool can_begin_at_mark(const table& t) {
  return t.has(column_role::retry_after) && !t.has(column_role::priority)
         && !t.has(column_role::partition_key) && !t.is_fifo();
}

void put_claims(statement_set& to, const inbox::dialect& speaks) {
  const auto& t = to.description();
  const auto claim = t.kind() == form::lease ? lease_claim : row_lock_claim;
  for (const auto limit : claim_limits(to.of()))
    to.put_claim({limit, claim(speaks, t, limit, from::start),
                  can_begin_at_mark(t)
                    ? std::optional{claim(speaks, t, limit, from::mark)}
                    : std::nullopt});
}

} // namespace

std::string dialect::quote(std::string_view identifier) const {
  std::string quoted{'"'};
  for (const auto c : identifier)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

std::string dialect::placeholder(std::size_t n) const {
  return "$" + std::to_string(n);
}

expected<std::string> dialect::begin(const table& t) const {
  switch (t.opens()) {
    case opening::standard: return "BEGIN";
    case opening::read_committed: return "BEGIN ISOLATION LEVEL READ COMMITTED";
    case opening::repeatable_read:
      return "BEGIN ISOLATION LEVEL REPEATABLE READ";
    case opening::serializable: return "BEGIN ISOLATION LEVEL SERIALIZABLE";
    default: break;
  }
  return refuse(errc::unsupported_opening,
                "Postgres does not open transactions as "
                  + std::string{to_string(t.opens())}
                  + "; choose read_committed, repeatable_read or serializable");
}

std::string dialect::find_children(const table& t) const {
  const auto name = quote_text(writer{*this}.name(t.name()).finish().text);
  return "SELECT 1 FROM pg_class WHERE oid = to_regclass(" + name
         + ") AND (relkind = 'p' OR EXISTS (SELECT 1 FROM pg_inherits"
           " WHERE inhparent = pg_class.oid))";
}

expected<shared_statements> dialect::build(const subscription& s) const {
  const auto served = check_served(s.description)
                        .and_then([&] { return check_names(s); })
                        .and_then([&] { return begin(s.description); });
  if (!served)
    return refused(served.error(), s);
  auto set = std::make_shared<statement_set>(s);
  const auto& t = set->description();
  put_claims(*set, *this);
  put_settlements(*set, spell(*this, t));
  if (const auto target = s.dead_letter_table())
    set->put(event::dead_letter, {to_table(spell(*this, t), *target)});
  set->put(event::fetch, {fetch(*this, t)});
  set->put(event::insert, {*insert(t, written_columns(t), 1)});
  return set;
}

expected<statement> dialect::insert(const table& t,
                                    std::span<const std::uint16_t> columns,
                                    std::size_t rows) const {
  return sql::insert(*this, t, columns, rows);
}

std::size_t dialect::insert_limit(std::size_t columns) const noexcept {
  return columns == 0 ? 1 : most_placeholders / columns;
}

expected<std::string> dialect::channel(const table& t) const {
  auto channel = t.name().qualified();
  if (channel.size() <= longest_name)
    return channel;
  return tl::make_unexpected(failure{
    errc::identifier_too_long,
    "the channel \"" + channel + "\" has " + std::to_string(channel.size())
      + " bytes; Postgres takes 63. Leave listen_notify out, or use "
        "shorter names"}
                               .on_table(t.name().qualified()));
}

std::string dialect::payload_for(std::string_view group) const {
  constexpr std::size_t longest_payload = 7999;
  return group.size() <= longest_payload ? std::string{group} : "";
}

} // namespace inbox::postgres
