#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "inbox/time.hpp"

namespace inbox {

/// What kind of SQL value a column held or a parameter takes.
enum class value_kind : std::uint8_t {
  null,
  boolean,
  integer, ///< Any integer that fits 64 signed bits.
  real,    ///< A binary floating-point number.
  decimal, ///< A number kept exactly, as its decimal text.
  text,    ///< UTF-8 text; also uuid, enumerations and the like, as text.
  json,    ///< A JSON column, as its text.
  bytes,
  time, ///< An instant; UTC, microseconds.
};

std::string_view to_string(value_kind kind) noexcept;

/// One SQL value, looked at in place. Text and bytes are views into a row's
/// buffer or into a `value`, and live as long as that does. Cheap to copy.
class value_view {
public:
  constexpr value_view() noexcept = default;
  static value_view of(bool b) noexcept;
  static value_view of(std::int64_t n) noexcept;
  static value_view of(double d) noexcept;
  static value_view of(time_point t) noexcept;
  static value_view text(std::string_view s) noexcept;
  static value_view json(std::string_view s) noexcept;
  static value_view decimal(std::string_view s) noexcept;
  static value_view bytes(std::string_view s) noexcept;

  value_kind kind() const noexcept { return kind_; }
  bool is_null() const noexcept { return kind_ == value_kind::null; }

  // Each answers nothing when the value is of another kind.
  std::optional<bool> as_boolean() const noexcept;
  std::optional<std::int64_t> as_integer() const noexcept;
  std::optional<double> as_real() const noexcept;
  std::optional<time_point> as_time() const noexcept;
  /// Text, JSON text or a decimal's digits.
  std::optional<std::string_view> as_text() const noexcept;
  /// The octets of bytes, text, JSON or a decimal.
  std::optional<std::string_view> as_octets() const noexcept;

  /// For messages and logs: decimal, text as it is, bytes as hex, RFC 3339,
  /// "NULL". Always valid UTF-8; cut off after 200 octets.
  std::string to_display() const;

  friend bool operator==(const value_view& a, const value_view& b) noexcept;

private:
  friend class value;
  value_kind kind_ = value_kind::null;
  std::int64_t number_ = 0; ///< integer, boolean or microseconds
  double real_ = 0;
  std::string_view octets_;
};

/// One SQL value that owns its octets.
class value {
public:
  value() noexcept = default;
  value(std::int64_t n) noexcept : view_{value_view::of(n)} {}
  value(int n) noexcept : value{static_cast<std::int64_t>(n)} {}
  value(bool b) noexcept : view_{value_view::of(b)} {}
  value(double d) noexcept : view_{value_view::of(d)} {}
  value(time_point t) noexcept : view_{value_view::of(t)} {}
  value(std::string text)
    : octets_{std::move(text)}, view_{value_view::text({})} {}
  value(std::string_view text) : value{std::string{text}} {}
  value(const char* text) : value{std::string{text}} {}
  static value bytes(std::string octets);
  static value bytes(std::span<const std::byte> octets);
  static value json(std::string text);
  static value copy_of(const value_view& seen);
  /// Copies no octets: they stay where they are, kept alive by `by`.
  static value kept(const value_view& seen, std::shared_ptr<const void> by);

  value_kind kind() const noexcept { return view_.kind(); }
  bool is_null() const noexcept { return view_.is_null(); }

  /// Valid while this value lives and is not assigned to.
  value_view view() const noexcept;
  operator value_view() const noexcept { return view(); }

  friend bool operator==(const value& a, const value& b) noexcept {
    return a.view() == b.view();
  }

private:
  std::string octets_;
  std::shared_ptr<const void> keeper_; ///< of the view's octets, if not ours
  value_view view_; ///< kind and number; its octets only with a keeper
};

/// Hash for maps keyed by a row's id.
struct value_hash {
  std::size_t operator()(const value_view& v) const noexcept;
  std::size_t operator()(const value& v) const noexcept {
    return (*this)(v.view());
  }
  using is_transparent = void;
};

} // namespace inbox
