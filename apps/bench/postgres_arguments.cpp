#include "postgres_arguments.hpp"

#include "jobs.hpp"

namespace bench {

namespace {

/// Every row is claimed once, so that its attempt went from 1 to 2.
constexpr std::int32_t held_attempt = 2;
constexpr std::uint32_t int8_type = 20;

template <class T>
void append(std::string& to, T number) {
  const auto n = static_cast<std::make_unsigned_t<T>>(number);
  for (int shift = 8 * (int{sizeof n} - 1); shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(n >> shift & 0xff));
}

template <class T>
std::string octets(T number) {
  std::string s;
  append(s, number);
  return s;
}

/// Microseconds since 2000.
std::string octets(inbox::time_point t) {
  using namespace std::chrono;
  constexpr inbox::time_point epoch{sys_days{year{2000} / 1 / 1}};
  return octets<std::int64_t>((t - epoch).count());
}

std::string array(std::span<const std::int64_t> ids) {
  std::string s;
  s.reserve(20 + 12 * ids.size());
  append<std::uint32_t>(s, 1); // dimensions
  append<std::uint32_t>(s, 0); // no NULL
  append(s, int8_type);
  append(s, static_cast<std::uint32_t>(ids.size()));
  append<std::uint32_t>(s, 1); // first index
  for (const auto id : ids) {
    append<std::uint32_t>(s, sizeof id);
    append(s, id);
  }
  return s;
}

std::string octets(const inbox::param& p, const pg_values& with) {
  using enum inbox::param::meaning;
  switch (p.what) {
    case group: return std::string{group_name};
    case now: return octets(with.now);
    case token:
    case held_token: return octets(with.token);
    case id: return octets(with.ids.front());
    case ids: return array(with.ids);
    case held_attempt: return octets(bench::held_attempt);
    default: return {};
  }
}

} // namespace

pg_arguments::pg_arguments(const inbox::statement& s, const pg_values& with) {
  for (const auto& p : s.params)
    octets_.push_back(octets(p, with));
  for (const auto& o : octets_) {
    values_.push_back(o.data());
    lengths_.push_back(static_cast<int>(o.size()));
    formats_.push_back(1);
  }
}

std::int64_t integer_at(const pg_result& rows, int row, int column) {
  const auto* octets = reinterpret_cast<const unsigned char*>(
    PQgetvalue(rows.get(), row, column));
  std::uint64_t n = 0;
  for (int i = 0; i < PQgetlength(rows.get(), row, column); ++i)
    n = n << 8U | octets[i];
  return static_cast<std::int64_t>(n);
}

} // namespace bench
