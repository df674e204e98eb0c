#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "inbox/postgres/wire.hpp"

namespace inbox::postgres {

namespace {

/// Reads big-endian numbers from the front; `ok` turns false when they end.
class octet_reader {
public:
  explicit octet_reader(std::string_view octets) : rest_{octets} {}

  template <class Integer>
  Integer take() {
    if (rest_.size() < sizeof(Integer)) {
      ok_ = false;
      rest_ = {};
      return 0;
    }
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      n = (n << 8) | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(sizeof(Integer));
    return static_cast<Integer>(n);
  }

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }

private:
  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::uint16_t numeric_negative = 0x4000;
constexpr std::uint16_t numeric_nan = 0xc000;
constexpr std::uint16_t numeric_infinity = 0xd000;
constexpr std::uint16_t numeric_minus_infinity = 0xf000;

/// Digits in base 10000 as decimal text with `scale` digits after the point.
std::string join_digits(const std::vector<std::uint16_t>& digits, int weight,
                        bool is_negative, int scale) {
  const auto group = [&digits](int at) {
    const bool is_kept = at >= 0 && at < static_cast<int>(digits.size());
    auto text = std::to_string(is_kept ? digits[static_cast<std::size_t>(at)]
                                       : 0);
    return std::string(4 - std::min<std::size_t>(text.size(), 4), '0') + text;
  };
  std::string whole, fraction;
  for (int at = 0; at <= weight; ++at)
    whole += group(at);
  whole.erase(0, whole.find_first_not_of('0'));
  for (int at = weight + 1; static_cast<int>(fraction.size()) < scale; ++at)
    fraction += group(at);
  fraction.resize(static_cast<std::size_t>(scale));
  if (whole.empty())
    whole = "0";
  if (is_negative)
    whole.insert(0, "-");
  return scale > 0 ? whole + "." + fraction : whole;
}

/// The decimal text of a binary numeric; nothing when it is none.
std::optional<std::string> read_numeric(std::string_view octets) {
  octet_reader in{octets};
  const auto count = in.take<std::uint16_t>();
  const auto weight = in.take<std::int16_t>();
  const auto sign = in.take<std::uint16_t>();
  const auto scale = in.take<std::uint16_t>();
  if (!in.ok())
    return std::nullopt;
  switch (sign) {
    case numeric_nan: return "NaN";
    case numeric_infinity: return "Infinity";
    case numeric_minus_infinity: return "-Infinity";
    default: break;
  }
  std::vector<std::uint16_t> digits;
  for (std::uint16_t i = 0; in.ok() && i < count; ++i)
    digits.push_back(in.take<std::uint16_t>());
  if (!in.done())
    return std::nullopt;
  return join_digits(digits, weight, sign == numeric_negative, scale);
}

std::optional<std::string> read_uuid(std::string_view octets) {
  constexpr char hex[] = "0123456789abcdef";
  if (octets.size() != 16)
    return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    const auto octet = static_cast<unsigned char>(octets[i]);
    text += hex[octet >> 4];
    text += hex[octet & 15];
  }
  return text;
}

time_point read_date(std::int32_t day) {
  if (day == std::numeric_limits<std::int32_t>::max())
    return time_point::max();
  if (day == std::numeric_limits<std::int32_t>::min())
    return time_point::min();
  return from_server_time(std::int64_t{day} * 86'400'000'000);
}

/// Numbers and instants, whose binary forms have a fixed size.
std::optional<value_view> read_fixed(octet_reader& in, Oid type) {
  switch (type) {
    case oid::boolean: return value_view::of(in.take<std::int8_t>() != 0);
    case oid::int2:
      return value_view::of(std::int64_t{in.take<std::int16_t>()});
    case oid::int4:
      return value_view::of(std::int64_t{in.take<std::int32_t>()});
    case oid::int8: return value_view::of(in.take<std::int64_t>());
    case oid::object_id:
      return value_view::of(std::int64_t{in.take<std::uint32_t>()});
    case oid::float4:
      return value_view::of(
        double{std::bit_cast<float>(in.take<std::uint32_t>())});
    case oid::float8:
      return value_view::of(std::bit_cast<double>(in.take<std::uint64_t>()));
    case oid::timestamp:
    case oid::timestamptz:
      return value_view::of(from_server_time(in.take<std::int64_t>()));
    case oid::date: return value_view::of(read_date(in.take<std::int32_t>()));
    default: return std::nullopt;
  }
}

tl::unexpected<failure> unreadable(Oid type) {
  return refuse(errc::wrong_type,
                "the server sent octets that are no value of its type number "
                  + std::to_string(type));
}

expected<void> add_binary(row_set::builder& out, std::string_view octets,
                          Oid type) {
  octet_reader in{octets};
  if (const auto fixed = read_fixed(in, type)) {
    if (!in.done())
      return unreadable(type);
    out.add(*fixed);
    return {};
  }
  if (type == oid::numeric || type == oid::uuid) {
    const auto text = type == oid::uuid ? read_uuid(octets)
                                        : read_numeric(octets);
    if (!text)
      return unreadable(type);
    out.add(type == oid::uuid ? value_view::text(*text)
                              : value_view::decimal(*text));
  } else if (type == oid::bytea) {
    out.add(value_view::bytes(octets));
  } else if (type == oid::json) {
    out.add(value_view::json(octets));
  } else if (type == oid::jsonb) {
    if (octets.empty() || octets[0] != '\x01')
      return unreadable(type);
    out.add(value_view::json(octets.substr(1)));
  } else {
    out.add(value_view::text(octets));
  }
  return {};
}

/// "\x00ff" as the two octets it stands for.
std::optional<std::string> read_hex(std::string_view text) {
  if (text.substr(0, 2) != "\\x" || text.size() % 2 != 0)
    return std::nullopt;
  std::string octets;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    unsigned octet = 0;
    const auto [stop, error] = std::from_chars(text.data() + i,
                                               text.data() + i + 2, octet, 16);
    if (error != std::errc{} || stop != text.data() + i + 2)
      return std::nullopt;
    octets += static_cast<char>(octet);
  }
  return octets;
}

std::optional<value_view> read_instant(std::string_view text) {
  if (text == "infinity")
    return value_view::of(time_point::max());
  if (text == "-infinity")
    return value_view::of(time_point::min());
  if (const auto t = parse_time(text))
    return value_view::of(*t);
  return std::nullopt;
}

std::optional<value_view> read_number(std::string_view text, Oid type) {
  if (type == oid::float4 || type == oid::float8) {
    const std::string copy{text}; // strtod wants its end
    return value_view::of(std::strtod(copy.c_str(), nullptr));
  }
  std::int64_t n = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return value_view::of(n);
}

expected<void> add_text(row_set::builder& out, std::string_view text,
                        Oid type) {
  std::optional<value_view> v = value_view::text(text);
  if (type == oid::boolean) {
    v = value_view::of(text == "t");
  } else if (type == oid::bytea) {
    const auto octets = read_hex(text);
    if (!octets)
      return unreadable(type);
    out.add(value_view::bytes(*octets));
    return {};
  } else if (oid::is_integer(type) || type == oid::float4
             || type == oid::float8) {
    v = read_number(text, type);
  } else if (type == oid::numeric) {
    v = value_view::decimal(text);
  } else if (oid::is_instant(type)) {
    // An instant outside the four-digit years stays text.
    v = read_instant(text).value_or(value_view::text(text));
  } else if (type == oid::json || type == oid::jsonb) {
    v = value_view::json(text);
  }
  if (!v)
    return unreadable(type);
  out.add(*v);
  return {};
}

} // namespace

bool reads_binary(Oid type) noexcept {
  return oid::is_text(type) || oid::is_instant(type) || oid::is_integer(type)
         || type == oid::boolean || type == oid::bytea || type == oid::json
         || type == oid::jsonb || type == oid::float4 || type == oid::float8
         || type == oid::numeric || type == oid::uuid;
}

expected<void> add_cell(row_set::builder& out, std::string_view octets,
                        Oid type, bool is_binary) {
  return is_binary ? add_binary(out, octets, type)
                   : add_text(out, octets, type);
}

} // namespace inbox::postgres
