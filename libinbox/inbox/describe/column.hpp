#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inbox/column_type.hpp"
#include "inbox/error.hpp"
#include "inbox/headers.hpp"
#include "inbox/value.hpp"

namespace inbox {

/// How a C++ type is kept in a column. Specialise it for a type of your own:
///
///   template <>
///   struct inbox::column<mailer::address> {
///     static constexpr auto type = inbox::column_type::text;
///     /// Never null; assign, so that capacity is used again.
///     static inbox::expected<void> read(const inbox::value_view& from,
///                                       mailer::address& into);
///     static inbox::expected<inbox::value> write(const mailer::address& from);
///   };
///
/// `std::optional` of such a type takes NULL.
template <class T>
struct column;

/// A type some column can keep.
template <class T>
concept column_value = requires(const value_view& from, T& into, const T& out) {
  { column<T>::type } -> std::convertible_to<column_type>;
  { column<T>::read(from, into) } -> std::same_as<expected<void>>;
  { column<T>::write(out) } -> std::convertible_to<expected<value>>;
};

/// `errc::wrong_type` for a value a member cannot take.
tl::unexpected<failure> refuse_value(const value_view& found,
                                     std::string_view wanted);

namespace detail {

template <class T>
concept character
  = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<
    T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>;

template <class T>
concept whole_number
  = std::integral<T> && !std::same_as<T, bool> && !character<T>;

template <class T>
concept octet = std::same_as<T, std::byte> || std::same_as<T, unsigned char>;

} // namespace detail

template <detail::whole_number T>
struct column<T> {
  static constexpr auto type = column_type::integer;

  static expected<void> read(const value_view& from, T& into) {
    const auto number = from.as_integer();
    if (!number || !std::in_range<T>(*number))
      return refuse_value(from, "an integer that fits the member");
    into = static_cast<T>(*number);
    return {};
  }

  static expected<value> write(T from) {
    if (!std::in_range<std::int64_t>(from))
      return refuse(errc::wrong_type,
                    std::to_string(from) + " does not fit 64 signed bits");
    return value{static_cast<std::int64_t>(from)};
  }
};

template <>
struct column<bool> {
  static constexpr auto type = column_type::boolean;
  /// Also 0 and 1, since SQLite has no other booleans.
  static expected<void> read(const value_view& from, bool& into);
  static value write(bool from) { return from; }
};

template <std::floating_point T>
struct column<T> {
  static constexpr auto type = column_type::real;

  static expected<void> read(const value_view& from, T& into) {
    if (const auto real = from.as_real())
      into = static_cast<T>(*real);
    else if (const auto number = from.as_integer())
      into = static_cast<T>(*number);
    else
      return refuse_value(from, "a number");
    return {};
  }

  static value write(T from) { return static_cast<double>(from); }
};

/// Text, JSON as text, or a decimal's digits; not bytes.
template <>
struct column<std::string> {
  static constexpr auto type = column_type::text;
  static expected<void> read(const value_view& from, std::string& into);
  static value write(const std::string& from) { return from; }
};

template <detail::octet Octet>
struct column<std::vector<Octet>> {
  static constexpr auto type = column_type::bytes;

  static expected<void> read(const value_view& from, std::vector<Octet>& into) {
    if (from.kind() != value_kind::bytes)
      return refuse_value(from, "bytes");
    const auto octets = *from.as_octets();
    const auto* first = reinterpret_cast<const Octet*>(octets.data());
    into.assign(first, first + octets.size());
    return {};
  }

  static value write(const std::vector<Octet>& from) {
    return value::bytes(std::as_bytes(std::span{from}));
  }
};

/// An instant of any precision; what a column keeps is in microseconds.
template <class Precision>
struct column<std::chrono::sys_time<Precision>> {
  static constexpr auto type = column_type::time;
  using instant = std::chrono::sys_time<Precision>;

  static expected<void> read(const value_view& from, instant& into) {
    auto time = from.as_time();
    if (!time && from.kind() == value_kind::text)
      time = parse_time(*from.as_text());
    if (!time)
      return refuse_value(from, "a time");
    into = std::chrono::floor<Precision>(*time);
    return {};
  }

  static value write(instant from) {
    return std::chrono::floor<duration>(from);
  }
};

/// A headers column, or any JSON object of strings.
template <>
struct column<header_map> {
  static constexpr auto type = column_type::json;
  static expected<void> read(const value_view& from, header_map& into);
  static expected<value> write(const header_map& from);
};

namespace detail {

/// A member's type with its `std::optional` taken off.
template <class T>
struct plain {
  using type = T;
  static constexpr bool nullable = false;
};

template <class T>
struct plain<std::optional<T>> {
  using type = T;
  static constexpr bool nullable = true;
};

} // namespace detail

} // namespace inbox
