#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "inbox/database_tag.hpp"
#include "inbox/describe/describe.hpp"

namespace inbox {

namespace detail {

/// How a database writes an insert.
struct insert_style {
  char quote = '"';
  bool numbered = true;    ///< $1, $2; otherwise ?
  std::size_t longest = 0; ///< octets of a name; zero means any number
};

template <class Db>
inline constexpr bool writes_inserts = false;
template <>
inline constexpr bool writes_inserts<postgres_db> = true;
template <>
inline constexpr bool writes_inserts<sqlite_db> = true;

template <class Db>
inline constexpr insert_style style_of{};
template <>
inline constexpr insert_style style_of<postgres_db>{'"', true, 63};
template <>
inline constexpr insert_style style_of<sqlite_db>{'`', false, 0};

/// Writes into a buffer, or counts what would be written without one.
class insert_writer {
public:
  consteval insert_writer(insert_style how, char* out) : how_{how}, out_{out} {}

  consteval void put(char c) {
    if (out_)
      out_[size_] = c;
    ++size_;
  }

  consteval void put(std::string_view text) {
    for (const auto c : text)
      put(c);
  }

  /// A quote within a name is doubled (C-030).
  consteval void name(std::string_view identifier) {
    put(how_.quote);
    for (const auto c : identifier) {
      if (c == how_.quote)
        put(c);
      put(c);
    }
    put(how_.quote);
  }

  consteval void placeholder(std::size_t number) {
    if (!how_.numbered)
      return put('?');
    put('$');
    std::size_t unit = 1;
    while (number / unit >= 10)
      unit *= 10;
    for (; unit > 0; unit /= 10)
      put(static_cast<char>('0' + number / unit % 10));
  }

  consteval std::size_t size() const { return size_; }

private:
  insert_style how_;
  char* out_;
  std::size_t size_ = 0;
};

consteval void put_columns(insert_writer& to, std::span<const fact> all) {
  std::size_t written = 0;
  for (const auto& f : all)
    if (!f.generated) {
      to.put(written++ == 0 ? " (" : ", ");
      to.name(f.name);
    }
  if (written == 0)
    return to.put(" DEFAULT VALUES");
  to.put(") VALUES (");
  for (std::size_t i = 1; i <= written; ++i) {
    if (i > 1)
      to.put(", ");
    to.placeholder(i);
  }
  to.put(')');
}

/// The insert of every column the database does not fill in (C-093).
/// @returns how long it is.
consteval std::size_t put_insert(insert_style how, char* out,
                                 std::string_view schema, std::string_view name,
                                 std::span<const fact> all) {
  insert_writer to{how, out};
  to.put("INSERT INTO ");
  if (!schema.empty()) {
    to.name(schema);
    to.put('.');
  }
  to.name(name);
  put_columns(to, all);
  to.put(" RETURNING ");
  to.name(all.front().name); // the id: first in the order of C-001
  return to.size();
}

consteval bool names_fit(insert_style how, std::string_view schema,
                         std::string_view name, std::span<const fact> all) {
  if (how.longest == 0)
    return true;
  auto longest = schema.size() > name.size() ? schema.size() : name.size();
  for (const auto& f : all)
    longest = f.name.size() > longest ? f.name.size() : longest;
  return longest <= how.longest;
}

template <class T, class Db>
consteval auto insert_text() {
  using from = description_of<T>;
  static_assert(writes_inserts<Db>,
                "inbox::insert_sql: this database is not served yet; "
                "postgres_db and sqlite_db are");
  static_assert(names_fit(style_of<Db>, from::schema, from::name, from::facts),
                "inbox::insert_sql: a name is longer than the 63 bytes "
                "Postgres keeps; use a shorter one");
  constexpr auto size = put_insert(style_of<Db>, nullptr, from::schema,
                                   from::name, from::facts);
  std::array<char, size + 1> octets{};
  put_insert(style_of<Db>, octets.data(), from::schema, from::name,
             from::facts);
  return octets;
}

template <class T, class Db>
inline constexpr auto insert_octets = insert_text<T, Db>();

} // namespace detail

/// The insert of a described struct as a constant, equal to the text the
/// database's dialect writes (C-094). It answers the new row's id; its
/// placeholders take `insert_values`. Ends with a terminator.
template <described T, class Db>
inline constexpr std::string_view insert_sql{
  detail::insert_octets<T, Db>.data(), detail::insert_octets<T, Db>.size() - 1};

} // namespace inbox
