#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/postgres/oid.hpp"
#include "inbox/row.hpp"

namespace inbox::postgres {

/// The parameters of one statement as libpq takes them: one buffer, each
/// binary where its type has a binary form here and text otherwise.
class arguments {
public:
  /// The next parameter, for a placeholder of this type.
  /// @returns `errc::wrong_type` naming value and type when they do not fit.
  expected<void> add(const value_view& v, Oid type);

  /// The next parameter, an array of these values without NULLs.
  expected<void> add_array(std::span<const value_view> items, Oid array);

  int size() const noexcept { return static_cast<int>(pieces_.size()); }

  /// What libpq wants to see; valid until the next `add`.
  struct view {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  view seen() const;

private:
  struct piece {
    std::size_t offset = 0;
    int length = 0;
    int format = 0;
    bool is_null = false;
  };
  void end(std::size_t offset, bool is_binary);

  std::string octets_;
  std::vector<piece> pieces_;
};

/// A value's binary form for a type, appended to `out`.
/// @returns false when the type has none here, or the value does not fit it.
bool append_binary(std::string& out, const value_view& v, Oid type);

/// A value as the server's input functions read it; nothing when it cannot be
/// said as text (a NUL) or would mean something else.
std::optional<std::string> to_input_text(const value_view& v, Oid type);

/// True when values of this type can be read from the binary form.
bool reads_binary(Oid type) noexcept;

/// Adds a cell's value to the row under way.
/// @returns `errc::wrong_type` when the octets are no such value.
expected<void> add_cell(row_set::builder& out, std::string_view octets,
                        Oid type, bool is_binary);

/// Microseconds since 2000 as the server counts them; the ends of time become
/// its "infinity" and back.
std::int64_t to_server_time(time_point t) noexcept;
time_point from_server_time(std::int64_t micros) noexcept;

} // namespace inbox::postgres
