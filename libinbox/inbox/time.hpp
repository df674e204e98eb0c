#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "inbox/error.hpp"

namespace inbox {

using namespace std::chrono_literals;

/// A span of time as the library counts it.
using duration = std::chrono::microseconds;

/// An instant of wall-clock time: UTC, microseconds. Appears in column values
/// alone; timers run on the steady clock.
using time_point = std::chrono::sys_time<duration>;

/// The longest delay a retry may ask for; longer ones are clamped to it, so
/// that an instant never wraps and fits every database's time columns.
inline constexpr duration max_delay = std::chrono::hours{24 * 365 * 10};

/// Where "now" comes from. Called from any thread.
using clock_source = std::function<time_point()>;

/// The host's clock, to the microsecond.
time_point host_now();

/// `from + delay`, with `delay` clamped to [0, max_delay].
time_point after_delay(time_point from, duration delay) noexcept;

/// The first whole second not before `from + lease`. A whole second, so that
/// a time column without fractions keeps the token exactly.
time_point lease_end(time_point from, duration lease) noexcept;

/// "2026-01-02T03:04:05.678901Z" (RFC 3339, always six digits).
std::string to_rfc3339(time_point t);

/// "2026-01-02 03:04:05.678901": what SQLite itself writes, with microseconds.
/// Text order is time order.
std::string to_sql_text(time_point t);

/// Reads the forms SQLite's date functions and RFC 3339 share: a date, an
/// optional time after a space or `T`, an optional fraction, an optional `Z`
/// or offset. Digits past the sixth are cut off.
/// @returns nothing when `text` is none of them.
std::optional<time_point> parse_time(std::string_view text);

/// Reads "500ms", "30s", "5m", "2h", "1d" or "0s".
/// @returns `errc::invalid_setting`, naming the text and the units.
expected<duration> parse_duration(std::string_view text);

/// The shortest text `parse_duration` reads back: "90s", "500ms", "2h".
std::string to_string(duration d);

} // namespace inbox
