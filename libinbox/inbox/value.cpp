#include "inbox/value.hpp"

#include <cstdio>
#include <functional>

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

constexpr std::size_t display_limit = 200;

bool holds_octets(value_kind kind) noexcept {
  switch (kind) {
    case value_kind::decimal:
    case value_kind::text:
    case value_kind::json:
    case value_kind::bytes: return true;
    default: return false;
  }
}

std::string to_hex(std::string_view octets) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : octets) {
    const auto octet = static_cast<unsigned char>(c);
    hex += digits[octet >> 4];
    hex += digits[octet & 15];
  }
  return hex;
}

} // namespace

std::string_view to_string(value_kind kind) noexcept {
  switch (kind) {
    case value_kind::null: return "NULL";
    case value_kind::boolean: return "boolean";
    case value_kind::integer: return "integer";
    case value_kind::real: return "real";
    case value_kind::decimal: return "decimal";
    case value_kind::text: return "text";
    case value_kind::json: return "json";
    case value_kind::bytes: return "bytes";
    case value_kind::time: return "time";
  }
  return "unknown";
}

value_view value_view::of(bool b) noexcept {
  value_view v;
  v.kind_ = value_kind::boolean;
  v.number_ = b ? 1 : 0;
  return v;
}

value_view value_view::of(std::int64_t n) noexcept {
  value_view v;
  v.kind_ = value_kind::integer;
  v.number_ = n;
  return v;
}

value_view value_view::of(double d) noexcept {
  value_view v;
  v.kind_ = value_kind::real;
  v.real_ = d;
  return v;
}

value_view value_view::of(time_point t) noexcept {
  value_view v;
  v.kind_ = value_kind::time;
  v.number_ = t.time_since_epoch().count();
  return v;
}

value_view value_view::text(std::string_view s) noexcept {
  value_view v;
  v.kind_ = value_kind::text;
  v.octets_ = s;
  return v;
}

value_view value_view::json(std::string_view s) noexcept {
  auto v = text(s);
  v.kind_ = value_kind::json;
  return v;
}

value_view value_view::decimal(std::string_view s) noexcept {
  auto v = text(s);
  v.kind_ = value_kind::decimal;
  return v;
}

value_view value_view::bytes(std::string_view s) noexcept {
  auto v = text(s);
  v.kind_ = value_kind::bytes;
  return v;
}

std::optional<bool> value_view::as_boolean() const noexcept {
  if (kind_ != value_kind::boolean)
    return std::nullopt;
  return number_ != 0;
}

std::optional<std::int64_t> value_view::as_integer() const noexcept {
  if (kind_ != value_kind::integer)
    return std::nullopt;
  return number_;
}

std::optional<double> value_view::as_real() const noexcept {
  if (kind_ != value_kind::real)
    return std::nullopt;
  return real_;
}

std::optional<time_point> value_view::as_time() const noexcept {
  if (kind_ != value_kind::time)
    return std::nullopt;
  return time_point{duration{number_}};
}

std::optional<std::string_view> value_view::as_text() const noexcept {
  if (!holds_octets(kind_) || kind_ == value_kind::bytes)
    return std::nullopt;
  return octets_;
}

std::optional<std::string_view> value_view::as_octets() const noexcept {
  if (!holds_octets(kind_))
    return std::nullopt;
  return octets_;
}

std::string value_view::to_display() const {
  switch (kind_) {
    case value_kind::null: return "NULL";
    case value_kind::boolean: return number_ != 0 ? "true" : "false";
    case value_kind::integer: return std::to_string(number_);
    case value_kind::real: {
      char text[32];
      const auto size = std::snprintf(text, sizeof text, "%.17g", real_);
      return {text, static_cast<std::size_t>(size)};
    }
    case value_kind::time: return to_rfc3339(time_point{duration{number_}});
    case value_kind::bytes: {
      auto hex = to_hex(octets_.substr(0, display_limit / 2));
      return octets_.size() > display_limit / 2 ? hex + "..." : hex;
    }
    default: return to_printable(octets_, display_limit);
  }
}

bool operator==(const value_view& a, const value_view& b) noexcept {
  if (a.kind_ != b.kind_)
    return false;
  if (holds_octets(a.kind_))
    return a.octets_ == b.octets_;
  return a.number_ == b.number_ && a.real_ == b.real_;
}

value value::bytes(std::string octets) {
  value v{std::move(octets)};
  v.view_.kind_ = value_kind::bytes;
  return v;
}

value value::bytes(std::span<const std::byte> octets) {
  return bytes(
    std::string{reinterpret_cast<const char*>(octets.data()), octets.size()});
}

value value::json(std::string text) {
  value v{std::move(text)};
  v.view_.kind_ = value_kind::json;
  return v;
}

value value::copy_of(const value_view& seen) {
  value v;
  v.octets_ = std::string{seen.octets_};
  v.view_ = seen;
  v.view_.octets_ = {};
  return v;
}

value value::kept(const value_view& seen, std::shared_ptr<const void> by) {
  if (!holds_octets(seen.kind_))
    return copy_of(seen);
  value v;
  v.keeper_ = std::move(by);
  v.view_ = seen;
  return v;
}

value_view value::view() const noexcept {
  auto seen = view_;
  if (holds_octets(seen.kind_) && !keeper_)
    seen.octets_ = octets_;
  return seen;
}

std::size_t value_hash::operator()(const value_view& v) const noexcept {
  if (const auto octets = v.as_octets())
    return std::hash<std::string_view>{}(*octets);
  if (const auto number = v.as_integer())
    return std::hash<std::int64_t>{}(*number);
  if (const auto instant = v.as_time())
    return std::hash<std::int64_t>{}(instant->time_since_epoch().count());
  return static_cast<std::size_t>(v.kind());
}

} // namespace inbox
