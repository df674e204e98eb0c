#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/dialect.hpp"

namespace inbox::sql {

class writer;

/// A part of a statement: a condition, an assignment, an expression. Empty
/// when the table has no column for it; whatever takes pieces skips it.
using piece = std::function<void(writer&)>;

/// Writes one statement from left to right and keeps the meaning of each
/// placeholder in order of use, so that the calls read like the text.
class writer {
public:
  /// @param speaks quotes names and numbers placeholders; outlives this.
  explicit writer(const dialect& speaks) noexcept : speaks_{speaks} {}

  writer& text(std::string_view sql);

  /// A name, quoted.
  writer& name(std::string_view identifier);
  writer& name(const table_column& c) { return name(c.name); }
  /// A table's name, each part quoted on its own (C-033).
  writer& name(const table_name& t);
  /// Names, quoted, separated by commas.
  writer& names(std::span<const table_column> columns);

  /// The next placeholder.
  writer& bind(param what);
  writer& bind(param::meaning what) { return bind(param{what, 0}); }

  writer& put(const piece& p);

  /// `a, b, c`, without the empty pieces.
  writer& list(std::span<const piece> pieces);
  /// ` SET a, b`; at least one piece is not empty.
  writer& set(const std::vector<piece>& assignments);
  /// ` WHERE a AND b`; nothing at all when every condition is empty (C-034).
  writer& where(const std::vector<piece>& conditions);
  /// ` ORDER BY a, b`.
  writer& order_by(const std::vector<piece>& keys);

  statement finish() { return std::move(written_); }

private:
  writer& joined(std::span<const piece> pieces, std::string_view before,
                 std::string_view between);

  const dialect& speaks_;
  statement written_;
};

} // namespace inbox::sql
