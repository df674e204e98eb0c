#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inbox/sqlite/prepared.hpp"
#include "inbox/statement_set.hpp"
#include "inbox/trip.hpp"

namespace inbox::sqlite {

/// What the placeholders of one statement stand for at one run.
struct bindings {
  const subscription& of;
  time_point now;
  time_point lease;            ///< The lease end a claim or extension writes.
  std::uint32_t limit = 0;     ///< of a claim
  value_view id{};             ///< of one row
  const token* held = nullptr; ///< what that row must hold
  duration delay{};            ///< of a delayed retry
};

/// A prepared statement and what its placeholders mean.
///
/// A placeholder keeps its value from run to run, so instants and names that
/// stay the same are bound once: the rows of a trip differ in little but ids.
class ready_statement {
public:
  ready_statement(prepared text, const statement& meaning);

  expected<void> bind(const bindings& with);

  prepared text;

private:
  expected<void> bind_one(std::size_t at, const bindings& with);
  expected<void> bind_time(std::size_t at, time_point t);
  expected<void> bind_once(std::size_t at, std::string_view name);

  const statement* meaning_; ///< within the statement set
  /// The instants bound last; a name that is bound counts as one.
  std::vector<std::optional<time_point>> bound_;
  std::deque<std::string> names_; ///< read where they lie, so they stay
};

/// All statements of one subscription, prepared on one session.
class prepared_set {
public:
  /// @returns `errc::schema`, naming table and event, when the database lacks
  ///          what a statement names (C-103).
  static expected<prepared_set> make(open_file& in, shared_statements from);

  const shared_statements& source() const noexcept { return from_; }
  const subscription& of() const noexcept { return from_->of(); }

  /// The statements of an event, in order; empty when it has none.
  std::span<ready_statement> at(event e) noexcept;

  struct sized {
    std::uint32_t limit; ///< rows it will ask for
    ready_statement& select;
  };

  /// The claim to run for that many rows.
  sized claim(std::uint32_t wanted) noexcept;

private:
  explicit prepared_set(shared_statements from) : from_{std::move(from)} {}
  expected<void> add(open_file& in, event e, const statement& s,
                     std::vector<ready_statement>& to);

  shared_statements from_;
  std::array<std::vector<ready_statement>, event_count> by_event_;
  std::vector<ready_statement> claims_; ///< as in `from_->claims()`
};

} // namespace inbox::sqlite
