#include "inbox/sqlite/times.hpp"

#include <cmath>

namespace inbox::sqlite {

namespace {

/// Julian day of 1970-01-01 00:00:00 UTC, and the first day past year 9999.
constexpr double unix_epoch_day = 2440587.5;
constexpr double end_of_days = 5373484.5;

/// SQLite's date functions count milliseconds; a Julian day in a double holds
/// little more.
std::optional<time_point> from_julian_day(double day) {
  if (!(day >= 0 && day < end_of_days))
    return std::nullopt;
  const auto millis = std::llround((day - unix_epoch_day) * 86'400'000.0);
  return time_point{std::chrono::milliseconds{millis}};
}

} // namespace

bool is_plain_time(const value_view& v) {
  if (v.is_null())
    return true;
  if (v.kind() != value_kind::text)
    return false;
  const auto text = *v.as_text();
  constexpr std::size_t date_size = 10;
  if (text.size() > date_size
      && (text[date_size] != ' '
          || text.find_first_not_of("0123456789:.", date_size + 1)
               != std::string_view::npos))
    return false;
  return parse_time(text).has_value();
}

std::optional<time_point> read_time(const value_view& v) {
  if (const auto text = v.as_text())
    return parse_time(*text);
  if (const auto whole = v.as_integer())
    return from_julian_day(static_cast<double>(*whole));
  if (const auto real = v.as_real())
    return from_julian_day(*real);
  return std::nullopt;
}

} // namespace inbox::sqlite
