#pragma once

#include <vector>

#include "inbox/trip.hpp"

namespace inbox::postgres {

/// One row to write, and where its answer goes.
struct item {
  event what = event::ack;
  value_view id;
  const token* held = nullptr;
  duration delay{};
  settled* answer = nullptr;
};

/// Rows that one execution of an event's statement takes: they differ in
/// nothing but their ids.
struct group {
  std::vector<item> rows;
  const item& lead() const { return rows.front(); }
};

/// What is committed as one: a part of the trip, or a row of a refused part.
using part = std::vector<group>;

/// Rows of one event, token and delay together, each group in the order of
/// its ids.
part gather(std::vector<item> rows);

/// By number where the ids are numbers: the order in which every session
/// locks its rows, so that two of them do not wait for each other in turn.
bool id_comes_first(const value_view& a, const value_view& b) noexcept;

std::size_t rows_in(const part& p);

} // namespace inbox::postgres
