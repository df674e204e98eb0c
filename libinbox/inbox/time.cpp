#include "inbox/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::year_month_day;

std::string format(time_point t, char between, const char* zone) {
  const auto day = floor<days>(t);
  const year_month_day date{day};
  const hh_mm_ss<duration> clock{t - day};
  std::array<char, 48> text{};
  const auto written = std::snprintf(
    text.data(), text.size(), "%04d-%02u-%02u%c%02d:%02d:%02d.%06d%s",
    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
    static_cast<unsigned>(date.day()), between,
    static_cast<int>(clock.hours().count()),
    static_cast<int>(clock.minutes().count()),
    static_cast<int>(clock.seconds().count()),
    static_cast<int>(clock.subseconds().count()), zone);
  return {text.data(), static_cast<std::size_t>(written)};
}

/// Reads a time from left to right; every step answers whether it fitted.
class time_reader {
public:
  explicit time_reader(std::string_view text) : rest_{text} {}

  /// Exactly `digits` decimal digits.
  bool number(std::size_t digits, int& out) {
    if (rest_.size() < digits)
      return false;
    const auto* end = rest_.data() + digits;
    const auto [stop, error] = std::from_chars(rest_.data(), end, out);
    if (error != std::errc{} || stop != end || rest_[0] == '-')
      return false;
    rest_.remove_prefix(digits);
    return true;
  }

  bool one_of(std::string_view allowed) {
    if (rest_.empty() || allowed.find(rest_[0]) == std::string_view::npos)
      return false;
    last_ = rest_[0];
    rest_.remove_prefix(1);
    return true;
  }

  /// Digits after a point, as microseconds; digits past the sixth are cut off.
  bool fraction(int& micros) {
    std::size_t digits = 0;
    micros = 0;
    for (;
         digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9';
         ++digits)
      if (digits < 6)
        micros = micros * 10 + (rest_[digits] - '0');
    for (auto filled = digits; filled < 6; ++filled)
      micros *= 10;
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  char last() const { return last_; }
  bool done() const { return rest_.empty(); }

private:
  std::string_view rest_;
  char last_ = 0;
};

bool read_date(time_reader& in, time_point& out) {
  int year = 0, month = 0, day = 0;
  if (!in.number(4, year) || !in.one_of("-") || !in.number(2, month)
      || !in.one_of("-") || !in.number(2, day))
    return false;
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok())
    return false;
  out = std::chrono::sys_days{date};
  return true;
}

bool read_clock(time_reader& in, time_point& out) {
  int hour = 0, minute = 0, second = 0, micros = 0;
  if (!in.number(2, hour) || !in.one_of(":") || !in.number(2, minute))
    return false;
  if (in.one_of(":")) {
    if (!in.number(2, second))
      return false;
    if (in.one_of(".") && !in.fraction(micros))
      return false;
  }
  if (hour > 24 || minute > 59 || second > 59)
    return false;
  out += std::chrono::hours{hour} + std::chrono::minutes{minute}
         + std::chrono::seconds{second} + duration{micros};
  return true;
}

bool read_zone(time_reader& in, time_point& out) {
  while (in.one_of(" ")) {
  }
  if (in.done() || in.one_of("Zz"))
    return in.done();
  if (!in.one_of("+-"))
    return false;
  const int sign = in.last() == '-' ? 1 : -1;
  int hours = 0, minutes = 0;
  if (!in.number(2, hours))
    return false;
  in.one_of(":");
  if (!in.done() && !in.number(2, minutes))
    return false;
  out += sign * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
  return in.done();
}

} // namespace

time_point host_now() {
  return floor<duration>(std::chrono::system_clock::now());
}

time_point after_delay(time_point from, duration delay) noexcept {
  return from + std::clamp(delay, duration::zero(), max_delay);
}

time_point lease_end(time_point from, duration lease) noexcept {
  return std::chrono::ceil<std::chrono::seconds>(after_delay(from, lease));
}

std::string to_rfc3339(time_point t) {
  return format(t, 'T', "Z");
}

std::string to_sql_text(time_point t) {
  return format(t, ' ', "");
}

std::optional<time_point> parse_time(std::string_view text) {
  time_reader in{text};
  time_point t{};
  if (!read_date(in, t))
    return std::nullopt;
  if (in.done())
    return t;
  if (!in.one_of(" Tt") || !read_clock(in, t) || !read_zone(in, t))
    return std::nullopt;
  return t;
}

expected<duration> parse_duration(std::string_view text) {
  const auto refused = [text] {
    return refuse(errc::invalid_setting,
                  "\"" + to_printable(text, 40)
                    + "\" is no duration; write a whole number and a unit: "
                      "us, ms, s, m, h or d, as in \"30s\"");
  };
  std::int64_t count = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || count < 0)
    return refused();
  const std::string_view unit{stop, static_cast<std::size_t>(end - stop)};
  constexpr std::pair<std::string_view, std::int64_t> units[] = {
    {"us", 1},         {"ms", 1'000},          {"s", 1'000'000},
    {"m", 60'000'000}, {"h", 3'600'000'000LL}, {"d", 86'400'000'000LL},
  };
  for (const auto& [name, micros] : units)
    if (name == unit) {
      if (count > max_delay.count() / micros)
        return refuse(errc::invalid_setting,
                      "\"" + to_printable(text, 40) + "\" is longer than "
                        + to_string(max_delay) + ", the longest duration");
      return duration{count * micros};
    }
  return refused();
}

std::string to_string(duration d) {
  constexpr std::pair<std::int64_t, const char*> units[] = {
    {86'400'000'000LL, "d"}, {3'600'000'000LL, "h"}, {60'000'000, "m"},
    {1'000'000, "s"},        {1'000, "ms"},
  };
  if (d.count() == 0)
    return "0s";
  for (const auto& [micros, name] : units)
    if (d.count() % micros == 0)
      return std::to_string(d.count() / micros) + name;
  return std::to_string(d.count()) + "us";
}

} // namespace inbox
