#include "inbox/in_work.hpp"

#include <algorithm>
#include <utility>

#include "inbox/settle.hpp"

namespace inbox {

void in_work::add(shared_delivery d) {
  const auto number = d->number();
  held_.emplace(number, entry{std::move(d)});
  waiting_.push_back(number);
}

void in_work::add_running(shared_delivery d) {
  const auto number = d->number();
  const auto& [at, _] = held_.emplace(number,
                                      entry{std::move(d), state::running});
  ++running_;
  // An earlier delivery of the row that is not over yet runs no more; the key
  // would be a view into it.
  const auto id = at->second.row->id();
  busy_.erase(id);
  busy_.emplace(id, number);
}

std::vector<in_work::step> in_work::next(std::uint32_t room, instant now) {
  std::vector<step> steps;
  if (watched_ && now >= watch_ends_)
    watched_.reset();
  if (draining_ || watched_) {
    give_back_but(0, steps);
    return steps;
  }
  clearing_ = false;
  steps.reserve(std::min<std::size_t>(waiting_.size(), room));
  // What stays is moved up, since rows mostly start from the front.
  auto stays = waiting_.begin();
  auto at = waiting_.begin();
  std::optional<delivery_number> suspect;
  for (; at != waiting_.end() && room > 0 && !suspect; ++at) {
    const auto entry = held_.find(*at);
    if (busy_.contains(entry->second.row->id()))
      *stays++ = *at;
    else if (is_suspect(*entry->second.row))
      suspect = *stays++ = *at;
    else {
      start(entry, steps);
      --room;
    }
  }
  waiting_.erase(stays, at);
  if (suspect && running_ < settings_.workers)
    start_alone(*suspect, now, steps);
  return steps;
}

void in_work::start_alone(delivery_number suspect, instant now,
                          std::vector<step>& steps) {
  give_back_but(suspect, steps);
  // What is given back counts as held until that is written.
  clearing_ = leaving_ > 0;
  if (clearing_)
    return;
  waiting_.clear();
  start(held_.find(suspect), steps);
  watched_ = suspect;
  watch_ends_ = now + settings_.watch;
}

void in_work::give_back_but(delivery_number stays, std::vector<step>& steps) {
  std::erase_if(waiting_, [&](delivery_number number) {
    if (number == stays)
      return false;
    leave(held_.find(number));
    steps.push_back({step::kind::give_back, number});
    return true;
  });
}

std::vector<delivery_number> in_work::give_back_newest(std::size_t count) {
  const auto from = waiting_.size() - std::min(count, waiting_.size());
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(from);
  const std::vector<delivery_number> newest{first, waiting_.end()};
  waiting_.erase(first, waiting_.end());
  for (const auto number : newest)
    leave(held_.find(number));
  return newest;
}

void in_work::start(held_rows::iterator at, std::vector<step>& steps) {
  auto& [number, e] = *at;
  e.is = state::running;
  ++running_;
  busy_.emplace(e.row->id(), number);
  steps.push_back({step::kind::start, number});
}

void in_work::leave(held_rows::iterator at) {
  auto& [number, e] = *at;
  e.is = state::leaving;
  ++leaving_;
  busy_.try_emplace(e.row->id(), number);
}

void in_work::put_back(delivery_number number) {
  const auto at = held_.find(number);
  if (at == held_.end() || at->second.is != state::running)
    return;
  at->second.is = state::waiting;
  --running_;
  busy_.erase(at->second.row->id());
  waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), number),
                  number);
}

std::optional<in_work::instant> in_work::next_due() const noexcept {
  return watched_ ? std::optional{watch_ends_} : std::nullopt;
}

void in_work::finish(delivery_number number, ending how) {
  const auto at = held_.find(number);
  if (at == held_.end())
    return;
  const auto& [row, is] = at->second;
  if (is == state::waiting)
    std::erase(waiting_, number);
  else
    --(is == state::running ? running_ : leaving_);
  if (const auto busy = busy_.find(row->id());
      busy != busy_.end() && busy->second == number)
    busy_.erase(busy);
  if (watched_ == number)
    watched_.reset();
  if (how == ending::retried)
    remember(*row);
  held_.erase(at);
}

bool in_work::is_waiting(delivery_number number) const noexcept {
  const auto at = held_.find(number);
  return at != held_.end() && at->second.is == state::waiting;
}

shared_delivery in_work::find(delivery_number number) const noexcept {
  const auto at = held_.find(number);
  return at == held_.end() ? nullptr : at->second.row;
}

std::size_t in_work::blocked() const {
  return static_cast<std::size_t>(
    std::count_if(waiting_.begin(), waiting_.end(), [this](auto number) {
      return busy_.contains(held_.at(number).row->id());
    }));
}

bool in_work::is_suspect(const delivery& d) const {
  if (settings_.watch <= duration::zero() || d.attempt().value_or(1) <= 1)
    return false;
  // A row that will not run cannot kill.
  if (d.fault() || over_cap(d))
    return false;
  const auto known = retried_.find(value::copy_of(d.id()));
  return known == retried_.end() || known->second != *d.attempt();
}

void in_work::remember(const delivery& d) {
  if (!d.attempt() || settings_.remembered == 0)
    return;
  const auto [at, fresh] = retried_.insert_or_assign(value::copy_of(d.id()),
                                                     *d.attempt() + 1);
  if (!fresh)
    return;
  retried_order_.push_back(at->first);
  if (retried_order_.size() <= settings_.remembered)
    return;
  retried_.erase(retried_order_.front());
  retried_order_.pop_front();
}

} // namespace inbox
