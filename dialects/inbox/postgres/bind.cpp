#include "inbox/postgres/bind.hpp"

#include <algorithm>

namespace inbox::postgres {

namespace {

using meaning = param::meaning;

/// One value for a meaning other than `ids`.
expected<value> value_of(const param& p, const bindings& b) {
  switch (p.what) {
    case meaning::group: return value{b.of.group()};
    case meaning::now: return value{b.now};
    case meaning::limit: return value{static_cast<std::int64_t>(b.limit)};
    case meaning::low_mark: return value{b.since.value_or(time_point::min())};
    case meaning::token: return value{b.lease_end};
    case meaning::retry_at: return value{after_delay(b.now, b.delay)};
    case meaning::retry_delay:
      return value{static_cast<std::int64_t>(
        std::clamp(b.delay, duration::zero(), max_delay).count())};
    case meaning::held_token:
      if (b.held)
        return value{b.held->locked_until};
      break;
    case meaning::held_attempt:
      if (b.held && b.held->attempt)
        return value{*b.held->attempt};
      break;
    case meaning::destination:
      if (auto group = b.of.dead_letter_group())
        return value{std::move(*group)};
      break;
    case meaning::id:
      if (b.ids.size() == 1)
        return value::copy_of(b.ids.front());
      break;
    default: break;
  }
  return refuse(errc::statement, "nothing to bind as \""
                                   + std::string{to_string(p.what)} + "\"");
}

/// The role whose column a placeholder is compared with or written to.
std::optional<column_role> role_of(meaning what) noexcept {
  switch (what) {
    case meaning::group:
    case meaning::destination: return column_role::group;
    case meaning::now:
    case meaning::low_mark:
    case meaning::retry_at: return column_role::retry_after;
    case meaning::token:
    case meaning::held_token: return column_role::locked_until;
    case meaning::held_attempt: return column_role::attempt;
    default: return std::nullopt;
  }
}

/// What a role's column must be, in words; empty when the type will do. Types
/// of the service's own are left to the server.
std::string_view misfit(column_role role, Oid type) noexcept {
  if (!reads_binary(type))
    return {};
  switch (role) {
    case column_role::attempt:
      return oid::is_integer(type) || type == oid::numeric ? "" : "a number";
    case column_role::retry_after:
    case column_role::processed_at:
      return oid::is_instant(type) ? "" : "a timestamp";
    case column_role::locked_until:
      return oid::is_instant(type) && type != oid::date ? "" : "a timestamp";
    case column_role::headers:
      return oid::is_text(type) || type == oid::json || type == oid::jsonb
                 || type == oid::bytea
               ? ""
               : "json or text";
    case column_role::payload:
      return oid::is_text(type) || type == oid::json || type == oid::jsonb
                 || type == oid::bytea
               ? ""
               : "bytea, text or json";
    default: return {};
  }
}

expected<void> check_column(const table& of, column_role role, Oid type) {
  const auto needed = misfit(role, type);
  const auto* column = of.find(role);
  if (needed.empty() || !column)
    return {};
  return refuse(errc::schema, "the column \"" + column->name + "\" plays "
                                + std::string{to_string(role)} + " and must be "
                                + std::string{needed}
                                + ", not of the server's type number "
                                + std::to_string(type)
                                + "; change the column or name another");
}

} // namespace

expected<arguments> bind(const statement& s, const prepared& how,
                         const bindings& what) {
  if (s.params.size() != how.parameters.size())
    return refuse(errc::statement,
                  "the statement has " + std::to_string(how.parameters.size())
                    + " placeholders and " + std::to_string(s.params.size())
                    + " meanings");
  arguments with;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    expected<void> added;
    if (s.params[i].what == meaning::ids) {
      added = with.add_array(what.ids, how.parameters[i]);
    } else {
      auto v = value_of(s.params[i], what);
      if (!v)
        return tl::make_unexpected(v.error());
      added = with.add(*v, how.parameters[i]);
    }
    if (!added)
      return tl::make_unexpected(added.error());
  }
  return with;
}

bool takes_many(const statement& s) noexcept {
  return std::ranges::any_of(
    s.params, [](const param& p) { return p.what == meaning::ids; });
}

expected<void> check_types(const statement& s, const prepared& how,
                           const table& of) {
  for (std::size_t i = 0; i < std::min(s.params.size(), how.parameters.size());
       ++i)
    if (const auto role = role_of(s.params[i].what))
      if (auto ok = check_column(of, *role, how.parameters[i]); !ok)
        return ok;
  // A claim and a fetch return the description's columns, in its order.
  const auto columns = of.columns();
  if (how.results.size() == columns.size() && columns.size() > 1)
    for (std::size_t i = 0; i < columns.size(); ++i)
      // A claim answers NULL for the lease, whose type then says nothing.
      if (how.columns[i] == columns[i].name
          && columns[i].role != column_role::locked_until)
        if (auto ok = check_column(of, columns[i].role, how.results[i]); !ok)
          return ok;
  return {};
}

} // namespace inbox::postgres
