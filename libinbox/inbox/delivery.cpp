#include "inbox/delivery.hpp"

#include <limits>
#include <utility>

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

/// Octets of a value that a message shows; the rest may be private.
constexpr std::size_t sample_limit = 60;

failure unfit(const table_column& c, const value_view& seen) {
  const auto role = std::string{to_string(c.role)};
  if (seen.is_null())
    return {errc::null_in_role,
            "column " + c.name + " (" + role + ") is NULL; it needs a value"};
  return {errc::wrong_type,
          "column " + c.name + " (" + role + ") holds "
            + std::string{to_string(seen.kind())} + " \""
            + to_printable(seen.to_display(), sample_limit)
            + "\", which does not read as its role or declared type"};
}

bool is_one_of(value_kind kind,
               std::initializer_list<value_kind> allowed) noexcept {
  for (const auto k : allowed)
    if (k == kind)
      return true;
  return false;
}

/// Whether a value reads as the type its description declares (C-147).
bool fits(column_type type, value_kind kind) noexcept {
  using enum value_kind;
  switch (type) {
    case column_type::unknown: return true;
    case column_type::integer: return kind == integer;
    case column_type::real: return is_one_of(kind, {real, integer, decimal});
    case column_type::boolean: return is_one_of(kind, {boolean, integer});
    case column_type::text: return is_one_of(kind, {text, json, decimal});
    case column_type::bytes: return kind == bytes;
    case column_type::json: return is_one_of(kind, {json, text});
    case column_type::time: return kind == time;
  }
  return false;
}

/// Whether a value that is not NULL reads as its column's role.
bool fits(column_role role, value_kind kind) noexcept {
  using enum value_kind;
  switch (role) {
    case column_role::id:
      return is_one_of(kind, {integer, text, decimal, bytes, time});
    case column_role::group:
    case column_role::partition_key:
      return is_one_of(kind, {integer, text, decimal, bytes});
    case column_role::retry_after:
    case column_role::locked_until:
    case column_role::processed_at: return kind == time;
    case column_role::attempt: return kind == integer;
    case column_role::headers: return is_one_of(kind, {text, json});
    case column_role::payload: return is_one_of(kind, {text, json, bytes});
    case column_role::priority:
    case column_role::data:
    case column_role::fetched: return true;
  }
  return false;
}

bool reads(const table_column& c, const value_view& seen) noexcept {
  if (seen.is_null())
    return c.role != column_role::id && c.role != column_role::attempt;
  if (!fits(c.role, seen.kind()))
    return false;
  // A text member takes a payload's octets as they are, whatever its column.
  if (c.role == column_role::payload && c.type == column_type::text)
    return true;
  if (c.role == column_role::attempt && *seen.as_integer() < 0)
    return false;
  return fits(c.type, seen.kind());
}

/// The first column that does not read; the attempt is looked at last, so
/// that a fault of the message itself is the one that is named (C-147).
std::optional<failure> find_fault(const table& of, const row& r) {
  const table_column* attempt = nullptr;
  const auto columns = of.columns();
  const auto seen_of = [&](const table_column& c) {
    const auto at = static_cast<std::size_t>(&c - columns.data());
    return at < r.size() ? r.at(at) : value_view{};
  };
  for (const auto& c : columns) {
    if (c.role == column_role::attempt)
      attempt = &c;
    else if (!reads(c, seen_of(c)))
      return unfit(c, seen_of(c));
  }
  if (attempt && !reads(*attempt, seen_of(*attempt)))
    return unfit(*attempt, seen_of(*attempt));
  return std::nullopt;
}

/// The attempt the row stores while it is held: one more than before.
std::optional<std::int64_t> counted(const value_view& before) noexcept {
  const auto n = before.as_integer();
  if (!n || *n == std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return *n + 1;
}

} // namespace

expected<delivery> delivery::from_row(shared_statements of,
                                      const claimed_rows& rows,
                                      std::size_t index,
                                      delivery_number number) {
  delivery d;
  d.row_ = row{rows.rows, index};
  d.of_ = std::move(of);
  d.number_ = number;
  const auto& described = d.of_->description();
  const auto named = [&d, &described](failure why) {
    return std::move(why)
      .in_subscription(d.of().name)
      .on_table(described.name().qualified());
  };
  if (!reads(described.id(), d.id()))
    return tl::make_unexpected(named(unfit(described.id(), d.id())));
  if (auto fault = find_fault(described, d.row_))
    d.fault_ = named(std::move(*fault));
  const auto attempt = d.at(column_role::attempt);
  if (const auto n = attempt.as_integer(); n && *n >= 0)
    d.attempt_ = static_cast<std::uint64_t>(*n);
  if (rows.locked_until)
    d.held_ = token{*rows.locked_until, counted(attempt)};
  return d;
}

expected<header_map> delivery::headers() const {
  const auto stored = at(column_role::headers);
  if (stored.is_null())
    return header_map{};
  const auto text = stored.as_text();
  const auto* c = of_->description().find(column_role::headers);
  auto read = text ? parse_headers(*text)
                   : tl::make_unexpected(unfit(*c, stored));
  if (!read)
    return refuse(read.error().code(),
                  "column " + c->name + ": " + read.error().message());
  return read;
}

std::string_view delivery::payload() const noexcept {
  return at(column_role::payload).as_octets().value_or(std::string_view{});
}

value_view delivery::at(column_role role) const noexcept {
  const auto position = of_->description().position(role);
  return position && *position < row_.size() ? row_.at(*position)
                                             : value_view{};
}

std::vector<shared_delivery> share(std::vector<delivery> all) {
  const auto owner = std::make_shared<const std::vector<delivery>>(
    std::move(all));
  std::vector<shared_delivery> each;
  each.reserve(owner->size());
  for (const auto& d : *owner)
    each.emplace_back(owner, &d);
  return each;
}

} // namespace inbox
