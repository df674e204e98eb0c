#pragma once

#include <libpq-fe.h>

/// The server's built-in types by number; they have not changed in decades.
namespace inbox::postgres::oid {

inline constexpr Oid boolean = 16;
inline constexpr Oid bytea = 17;
inline constexpr Oid name = 19;
inline constexpr Oid int8 = 20;
inline constexpr Oid int2 = 21;
inline constexpr Oid int4 = 23;
inline constexpr Oid text = 25;
inline constexpr Oid object_id = 26;
inline constexpr Oid json = 114;
inline constexpr Oid float4 = 700;
inline constexpr Oid float8 = 701;
inline constexpr Oid bpchar = 1042;
inline constexpr Oid varchar = 1043;
inline constexpr Oid date = 1082;
inline constexpr Oid timestamp = 1114;
inline constexpr Oid timestamptz = 1184;
inline constexpr Oid numeric = 1700;
inline constexpr Oid uuid = 2950;
inline constexpr Oid jsonb = 3802;

constexpr bool is_text(Oid type) noexcept {
  return type == text || type == varchar || type == bpchar || type == name;
}

constexpr bool is_instant(Oid type) noexcept {
  return type == timestamptz || type == timestamp || type == date;
}

constexpr bool is_integer(Oid type) noexcept {
  return type == int8 || type == int4 || type == int2 || type == object_id;
}

/// The type of an array's elements; zero for what is no array known here.
constexpr Oid element_of(Oid array) noexcept {
  switch (array) {
    case 1000: return boolean;
    case 1001: return bytea;
    case 1003: return name;
    case 1005: return int2;
    case 1007: return int4;
    case 1009: return text;
    case 1014: return bpchar;
    case 1015: return varchar;
    case 1016: return int8;
    case 1021: return float4;
    case 1022: return float8;
    case 1028: return object_id;
    case 1115: return timestamp;
    case 1182: return date;
    case 1185: return timestamptz;
    case 1231: return numeric;
    case 2951: return uuid;
    default: return 0;
  }
}

} // namespace inbox::postgres::oid
