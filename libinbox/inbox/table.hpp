#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inbox/column_type.hpp"
#include "inbox/form.hpp"
#include "inbox/lock_key.hpp"
#include "inbox/role.hpp"
#include "inbox/table_name.hpp"

namespace inbox {

/// One column of a description.
struct table_column {
  std::string name;
  column_role role = column_role::data;
  bool generated = false; ///< The database fills it in; left out of inserts.
  column_type type = column_type::unknown;

  /// Without the type: a struct knows it, a configuration file does not, and
  /// both describe the same column (C-007).
  friend bool operator==(const table_column& a, const table_column& b) {
    return a.name == b.name && a.role == b.role && a.generated == b.generated;
  }
};

/// A table as somebody declares it: parts in any order, not checked yet.
struct table_spec {
  std::string schema;
  std::string name;
  std::vector<table_column> columns;
  bool fifo = false;                   ///< The group keeps its order (C-004).
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
  std::span<const table_column> columns() const noexcept { return columns_; }

  /// The column that plays `role`; null when none does. For the roles of
  /// `named_roles`.
  const table_column* find(column_role role) const noexcept;
  bool has(column_role role) const noexcept { return find(role) != nullptr; }
  const table_column& id() const noexcept { return *find(column_role::id); }

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
  std::vector<table_column> columns_;
  std::vector<key_part> lock_key_;
};

} // namespace inbox
