#pragma once

#include <cstdint>
#include <string_view>

#include "inbox/role.hpp"

namespace inbox {

/// What a column holds, as far as the description knows. A described struct
/// tells by its members' types; a configuration file does not. Used for `ddl`
/// and to read rows; never a condition for serving.
enum class column_type : std::uint8_t {
  unknown,
  integer,
  real,
  boolean,
  text,
  bytes,
  json,
  time,
};

constexpr std::string_view to_string(column_type type) noexcept {
  switch (type) {
    case column_type::unknown: return "unknown";
    case column_type::integer: return "integer";
    case column_type::real: return "real";
    case column_type::boolean: return "boolean";
    case column_type::text: return "text";
    case column_type::bytes: return "bytes";
    case column_type::json: return "json";
    case column_type::time: return "time";
  }
  return "unknown";
}

/// Whether a column of this type can play this role (C-022). A type nobody
/// knows can; the database has the last word then.
constexpr bool can_play(column_type type, column_role role) noexcept {
  using enum column_type;
  if (type == unknown)
    return true;
  switch (role) {
    case column_role::id:
      return type == integer || type == text || type == bytes || type == time;
    case column_role::group: return type == text;
    case column_role::partition_key: return type == text || type == bytes;
    case column_role::priority:
      return type == integer || type == real || type == text || type == time;
    case column_role::attempt: return type == integer;
    case column_role::retry_after:
    case column_role::locked_until:
    case column_role::processed_at: return type == time;
    case column_role::headers: return type == json || type == text;
    case column_role::payload:
      return type == bytes || type == text || type == json;
    case column_role::data:
    case column_role::fetched: return true;
  }
  return true;
}

/// What `can_play` accepts for a role, in words.
constexpr std::string_view types_of(column_role role) noexcept {
  switch (role) {
    case column_role::id: return "an integer, text, bytes or a time";
    case column_role::group: return "text";
    case column_role::partition_key: return "text or bytes";
    case column_role::priority: return "a number, text or a time";
    case column_role::attempt: return "an integer";
    case column_role::retry_after:
    case column_role::locked_until:
    case column_role::processed_at: return "a time";
    case column_role::headers: return "a JSON object, as JSON or text";
    case column_role::payload: return "bytes, text or JSON";
    case column_role::data:
    case column_role::fetched: return "any type";
  }
  return "any type";
}

} // namespace inbox
