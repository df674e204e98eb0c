#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inbox/form.hpp"
#include "inbox/role.hpp"
#include "inbox/table_name.hpp"

namespace inbox {

/// What a column holds, as far as the description knows. A described struct
/// tells by its members' types; a configuration file does not. Used for `ddl`
/// and to read rows; never a condition for serving.
enum class column_type : std::uint8_t {
  unknown,
  integer,
  real,
  boolean,
  text,
  bytes,
  json,
  time,
};

/// One column of a description.
struct column {
  std::string name;
  column_role role = column_role::data;
  bool generated = false; ///< The database fills it in; left out of inserts.
  column_type type = column_type::unknown;

  friend bool operator==(const column&, const column&) = default;
};

/// A piece of an advisory lock key: text, or the value of a column.
struct key_part {
  enum class kind_type : std::uint8_t { literal, column } kind;
  std::string text; ///< the literal, or the column's name

  friend bool operator==(const key_part&, const key_part&) = default;
};

/// A table as somebody declares it: parts in any order, not checked yet.
struct table_spec {
  std::string schema;
  std::string name;
  std::vector<column> columns;
  bool fifo = false;                  ///< The group keeps its order (C-004).
  std::optional<std::string> lock_key; ///< "jobs-{job_id}": the advisory form.
  clock_kind clock = clock_kind::host;
  opening opens = opening::standard;
};

/// A checked description of a table: columns by role, form, clock. Immutable;
/// equal descriptions give equal statements (C-007). Copies are cheap enough
/// for start, not for a row's path.
class table {
public:
  /// Puts the columns in the order of C-001 and checks C-002..C-019 as far as
  /// they concern one table.
  /// @returns `errc::invalid_description` or `errc::lease_on_database_clock`,
  ///          naming table, role and fix.
  static expected<table> make(table_spec spec);

  const table_name& name() const noexcept { return name_; }
  form kind() const noexcept { return form_; }
  bool is_fifo() const noexcept { return fifo_; }
  clock_kind clock() const noexcept { return clock_; }
  opening opens() const noexcept { return opens_; }

  /// Every column, in description order.
  std::span<const column> columns() const noexcept { return columns_; }

  /// The column that plays `role`; null when none does. For the roles of
  /// `named_roles`.
  const column* find(column_role role) const noexcept;
  bool has(column_role role) const noexcept { return find(role) != nullptr; }
  const column& id() const noexcept { return *find(column_role::id); }

  /// Its position among `columns()`; a claim's rows use the same positions.
  std::optional<std::size_t> position(column_role role) const noexcept;

  /// Key pieces in the advisory form; placeholders name columns (C-016).
  std::span<const key_part> lock_key() const noexcept { return lock_key_; }

  /// True without a payload column: the handler takes the row itself.
  bool is_row_mode() const noexcept { return !has(column_role::payload); }

  friend bool operator==(const table&, const table&) = default;

private:
  table() = default;

  table_name name_;
  form form_ = form::row_lock;
  bool fifo_ = false;
  clock_kind clock_ = clock_kind::host;
  opening opens_ = opening::standard;
  std::vector<column> columns_;
  std::vector<key_part> lock_key_;
};

} // namespace inbox
