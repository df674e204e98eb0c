#include "inbox/settle.hpp"

#include <algorithm>

namespace inbox {

namespace {

settlement ended_by(const delivery& d, event what, duration delay = {}) {
  return {.what = what,
          .delivery = d.number(),
          .id = d.shared_id(),
          .held = d.held(),
          .delay = delay};
}

/// True when this failing delivery is the last one the cap allows (C-126).
bool is_last(const delivery& d) noexcept {
  const auto cap = d.of().settings.max_attempts;
  return cap && d.attempt() && *d.attempt() >= *cap;
}

} // namespace

decided settle(const delivery& d, outcome answer) {
  switch (answer.what()) {
    case outcome::kind::ack: return {ended_by(d, event::ack)};
    case outcome::kind::drop: return {ended_by(d, event::discard)};
    case outcome::kind::retry:
    case outcome::kind::retry_after: break;
  }
  if (is_last(d))
    return {ended_by(d, event::dead_letter), settle_note::capped};
  if (answer.what() == outcome::kind::retry)
    return {ended_by(d, event::retry)};
  if (!d.of().description.has(column_role::retry_after))
    return {ended_by(d, event::retry), settle_note::no_retry_after};
  const auto delay = std::clamp(answer.delay(), duration::zero(), max_delay);
  return {ended_by(d, event::retry_after, delay)};
}

std::optional<decided> over_cap(const delivery& d) {
  const auto cap = d.of().settings.max_attempts;
  if (!cap || !d.attempt() || *d.attempt() <= *cap)
    return std::nullopt;
  return decided{ended_by(d, event::dead_letter), settle_note::capped};
}

settlement give_back(const delivery& d) {
  return ended_by(d, event::unclaim);
}

} // namespace inbox
