#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "inbox/postgres/wire.hpp"

namespace inbox::postgres {

namespace {

using namespace std::chrono;

/// 2000-01-01, from where the server counts.
constexpr time_point server_epoch{sys_days{year{2000} / 1 / 1}};

constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t minus_infinity
  = std::numeric_limits<std::int64_t>::min();

/// Octets in front of an array's element that say how long it is.
constexpr std::size_t length_size = 4;

/// Octets of values one message may hold. The server ends a session that
/// sends it a GiB, lengths and names included.
constexpr std::size_t message_limit = (1u << 30) - (1u << 20);

template <class Integer>
void append_big_endian(std::string& out, Integer n) {
  for (int shift = static_cast<int>(sizeof n) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>((static_cast<std::uint64_t>(n) >> shift) & 0xff);
}

template <class Integer>
bool append_integer(std::string& out, std::int64_t n) {
  if (n < static_cast<std::int64_t>(std::numeric_limits<Integer>::min())
      || n > static_cast<std::int64_t>(std::numeric_limits<Integer>::max()))
    return false;
  append_big_endian(out, static_cast<Integer>(n));
  return true;
}

bool append_number(std::string& out, std::int64_t n, Oid type) {
  switch (type) {
    case oid::int2: return append_integer<std::int16_t>(out, n);
    case oid::int4: return append_integer<std::int32_t>(out, n);
    case oid::int8: return append_integer<std::int64_t>(out, n);
    case oid::object_id: return append_integer<std::uint32_t>(out, n);
    default: return false;
  }
}

bool append_real(std::string& out, double d, Oid type) {
  if (type == oid::float8)
    append_big_endian(out, std::bit_cast<std::uint64_t>(d));
  else if (type == oid::float4)
    append_big_endian(out, std::bit_cast<std::uint32_t>(static_cast<float>(d)));
  else
    return false;
  return true;
}

bool append_time(std::string& out, time_point t, Oid type) {
  if (type == oid::date) {
    const auto day = floor<days>(t) - floor<days>(server_epoch);
    append_big_endian(out, static_cast<std::int32_t>(day.count()));
  } else if (oid::is_instant(type)) {
    append_big_endian(out, to_server_time(t));
  } else {
    return false;
  }
  return true;
}

bool append_octets(std::string& out, const value_view& v, Oid type) {
  if (type == oid::jsonb)
    out += '\x01'; // the version of its binary form
  else if (type != oid::json && type != oid::bytea && !oid::is_text(type))
    return false;
  out += *v.as_octets();
  return true;
}

std::string quoted_element(std::string_view text) {
  std::string quoted{'"'};
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

tl::unexpected<failure> misfit(const value_view& v, Oid type) {
  return refuse(errc::wrong_type,
                "a " + std::string{to_string(v.kind())} + " (" + v.to_display()
                  + ") does not fit a parameter of the server's type number "
                  + std::to_string(type));
}

} // namespace

std::int64_t to_server_time(time_point t) noexcept {
  if (t == time_point::max())
    return infinity;
  if (t == time_point::min()
      || t < time_point::min() + server_epoch.time_since_epoch())
    return minus_infinity;
  return (t - server_epoch).count();
}

time_point from_server_time(std::int64_t micros) noexcept {
  const auto shift = server_epoch.time_since_epoch();
  if (micros == minus_infinity)
    return time_point::min();
  // The server's last years lie beyond what microseconds since 1970 can say.
  if (micros > infinity - shift.count())
    return time_point::max();
  return server_epoch + duration{micros};
}

bool append_binary(std::string& out, const value_view& v, Oid type) {
  if (const auto flag = v.as_boolean()) {
    if (type != oid::boolean)
      return append_number(out, *flag ? 1 : 0, type);
    out += static_cast<char>(*flag ? 1 : 0);
    return true;
  }
  if (const auto n = v.as_integer())
    return append_number(out, *n, type)
           || append_real(out, static_cast<double>(*n), type);
  if (const auto d = v.as_real())
    return append_real(out, *d, type);
  if (const auto t = v.as_time())
    return append_time(out, *t, type);
  return v.as_octets() && v.kind() != value_kind::decimal
         && append_octets(out, v, type);
}

std::optional<std::string> to_input_text(const value_view& v, Oid type) {
  switch (v.kind()) {
    case value_kind::null: return std::nullopt;
    case value_kind::bytes: return std::nullopt; // never read as an escape
    case value_kind::time:
      // A type of the service's own may read an instant's text.
      if (reads_binary(type) && !oid::is_text(type))
        return std::nullopt;
      return to_rfc3339(*v.as_time());
    case value_kind::integer:
      if (oid::is_integer(type)) // too large for it
        return std::nullopt;
      [[fallthrough]];
    case value_kind::boolean:
      if (oid::is_instant(type))
        return std::nullopt;
      return v.to_display();
    case value_kind::real: {
      char text[32];
      const auto size = std::snprintf(text, sizeof text, "%.17g", *v.as_real());
      return std::string{text, static_cast<std::size_t>(size)};
    }
    default:
      if (v.as_octets()->find('\0') != std::string_view::npos)
        return std::nullopt;
      return std::string{*v.as_octets()};
  }
}

void arguments::end(std::size_t offset, bool is_binary) {
  const auto length = octets_.size() - offset;
  if (!is_binary)
    octets_ += '\0';
  pieces_.push_back(
    {offset, static_cast<int>(length), is_binary ? 1 : 0, false});
}

expected<void> arguments::add(const value_view& v, Oid type) {
  if (v.is_null()) {
    pieces_.push_back({0, 0, 0, true});
    return {};
  }
  if (const auto octets = v.as_octets();
      octets
      && octets->size()
           > message_limit - std::min(octets_.size(), message_limit))
    return refuse(errc::too_large,
                  "a value of " + std::to_string(octets->size())
                    + " bytes is too large: the values of one statement are "
                      "1 GB at most; store it elsewhere and its place here");
  const auto offset = octets_.size();
  if (append_binary(octets_, v, type)) {
    end(offset, true);
    return {};
  }
  octets_.resize(offset);
  const auto text = to_input_text(v, type);
  if (!text)
    return misfit(v, type);
  octets_ += *text;
  end(offset, false);
  return {};
}

expected<void> arguments::add_array(std::span<const value_view> items,
                                    Oid array) {
  const auto element = oid::element_of(array);
  const auto offset = octets_.size();
  octets_.reserve(offset + 20 + items.size() * 12); // numbers fit
  append_big_endian(octets_, std::int32_t{items.empty() ? 0 : 1});
  append_big_endian(octets_, std::int32_t{0}); // no NULLs
  append_big_endian(octets_, static_cast<std::uint32_t>(element));
  if (!items.empty()) {
    append_big_endian(octets_, static_cast<std::int32_t>(items.size()));
    append_big_endian(octets_, std::int32_t{1}); // the first index
  }
  bool is_binary = element != 0;
  for (const auto& item : items) {
    const auto at = octets_.size();
    octets_.append(length_size, '\0'); // filled in once it is known
    is_binary = is_binary && append_binary(octets_, item, element);
    if (!is_binary)
      break;
    std::string length;
    append_big_endian(
      length, static_cast<std::int32_t>(octets_.size() - at - length_size));
    octets_.replace(at, length_size, length);
  }
  if (is_binary) {
    end(offset, true);
    return {};
  }
  octets_.resize(offset);
  octets_ += '{';
  for (const auto& item : items) {
    const auto text = to_input_text(item, element);
    if (!text)
      return misfit(item, array);
    if (octets_.back() != '{')
      octets_ += ',';
    octets_ += quoted_element(*text);
  }
  octets_ += '}';
  end(offset, false);
  return {};
}

arguments::view arguments::seen() const {
  view v;
  v.values.reserve(pieces_.size());
  v.lengths.reserve(pieces_.size());
  v.formats.reserve(pieces_.size());
  for (const auto& p : pieces_) {
    v.values.push_back(p.is_null ? nullptr : octets_.data() + p.offset);
    v.lengths.push_back(p.length);
    v.formats.push_back(p.format);
  }
  return v;
}

} // namespace inbox::postgres
