#include "inbox/claim_loop.hpp"

#include <algorithm>

namespace inbox {

void claim_loop::on_credit(std::uint32_t freed) noexcept {
  const auto paid = std::min(freed, owed_);
  owed_ -= paid;
  credit_ += freed - paid;
}

void claim_loop::on_wake() noexcept {
  woken_ = true;
}

void claim_loop::on_timer() noexcept {
  if (mood_ == mood::quiet || mood_ == mood::paused)
    mood_ = mood::probing;
  arm_ = false;
}

void claim_loop::on_claimed(const claim_order& order, std::uint32_t asked,
                            std::uint32_t rows) noexcept {
  end_claim(order, rows);
  const bool is_full = rows >= std::max(asked, 1u);
  if (!is_full && order.since && mood_ != mood::paused)
    mood_ = mood::probing; // below the mark there may be more
  else
    on_other_claimed(is_full);
}

void claim_loop::on_failed(const claim_order& order) noexcept {
  end_claim(order, 0);
  on_other_failed();
}

void claim_loop::on_other_claimed(bool is_full) noexcept {
  if (mood_ == mood::paused)
    return;
  mood_ = is_full ? mood::greedy : mood::quiet;
  arm_ = !is_full;
}

void claim_loop::on_other_failed() noexcept {
  mood_ = mood::paused;
  arm_ = true;
}

void claim_loop::on_drain() noexcept {
  draining_ = true;
}

void claim_loop::allow(std::uint32_t claims) noexcept {
  settings_.allowed = std::max(claims, 1u);
}

claim_loop::step claim_loop::next() noexcept {
  if (draining_)
    return stop_once();
  if (woken_ && mood_ == mood::quiet)
    mood_ = mood::probing;
  if (arm_ && (mood_ == mood::quiet || mood_ == mood::paused)) {
    arm_ = false;
    wait_time_ = mood_ == mood::paused ? settings_.pause
                                       : settings_.poll_interval;
    return step::sleep;
  }
  const auto allowed = mood_ == mood::greedy    ? settings_.allowed
                       : mood_ == mood::probing ? 1u
                                                : 0u;
  if (held_ || in_flight_ >= allowed || credit_ == 0)
    return step::none;
  begin_claim();
  return step::claim;
}

void claim_loop::begin_claim() noexcept {
  // A claim that starts now sees every row there was at the wake.
  woken_ = false;
  order_ = {++claims_, std::min(credit_, std::max(settings_.most, 1u))};
  credit_ -= order_.limit;
  ++in_flight_;
}

void claim_loop::end_claim(const claim_order& order,
                           std::uint32_t rows) noexcept {
  --in_flight_;
  if (rows <= order.limit) {
    on_credit(order.limit - rows);
    return;
  }
  // More rows than were asked for are paid from the credit there is and the
  // credit to come, so that they are in work beside nothing else.
  const auto extra = rows - order.limit;
  const auto paid = std::min(extra, credit_);
  credit_ -= paid;
  owed_ += extra - paid;
}

claim_loop::step claim_loop::stop_once() noexcept {
  if (in_flight_ > 0 || stopped_)
    return step::none;
  stopped_ = true;
  return step::stop;
}

} // namespace inbox
