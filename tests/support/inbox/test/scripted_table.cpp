#include "inbox/test/scripted_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace inbox::test {

shared_statements
scripted_queue(form kind,
               const std::function<void(subscription_settings&)>& change) {
  using role = column_role;
  table_spec spec;
  spec.name = "jobs";
  const auto add = [&spec](role r, column_type type) {
    spec.columns.push_back({std::string{to_string(r)}, r, false, type});
  };
  add(role::id, column_type::integer);
  add(role::group, column_type::text);
  add(role::retry_after, column_type::time);
  add(role::attempt, column_type::integer);
  if (kind == form::lease)
    add(role::locked_until, column_type::time);
  add(role::payload, column_type::text);
  auto made = table::make(std::move(spec));
  if (!made)
    throw std::logic_error{made.error().to_string()};
  subscription s{"emails", std::move(*made), {}};
  if (change)
    change(s.settings);
  return std::make_shared<const statement_set>(std::move(s));
}

void scripted_table::insert(scripted_row r) {
  const std::lock_guard lock{mutex_};
  const auto id = r.id;
  rows_[id] = std::move(r);
}

void scripted_table::insert_ids(std::int64_t first, std::int64_t last) {
  for (auto id = first; id <= last; ++id)
    insert({.id = id});
}

std::optional<scripted_row> scripted_table::find(std::int64_t id) const {
  const std::lock_guard lock{mutex_};
  const auto at = rows_.find(id);
  return at == rows_.end() ? std::nullopt : std::optional{at->second};
}

std::size_t scripted_table::size() const {
  const std::lock_guard lock{mutex_};
  return rows_.size();
}

std::vector<scripted_table::line> scripted_table::audit() const {
  const std::lock_guard lock{mutex_};
  return audit_;
}

std::map<std::int64_t, int> scripted_table::settled_counts() const {
  std::map<std::int64_t, int> counts;
  for (const auto& l : audit())
    ++counts[l.id];
  return counts;
}

void scripted_table::take_over(std::int64_t id) {
  const std::lock_guard lock{mutex_};
  auto& r = rows_.at(id);
  r.locked_until = lease_end(clock_(), std::chrono::hours{1});
  ++r.attempt;
}

void scripted_table::fail_next_trip(failure why) {
  const std::lock_guard lock{mutex_};
  next_failure_ = std::move(why);
}

void scripted_table::fail_trips(std::optional<failure> why) {
  const std::lock_guard lock{mutex_};
  every_failure_ = std::move(why);
}

void scripted_table::lose_next_commit(bool written) {
  const std::lock_guard lock{mutex_};
  next_commit_ = written ? commit::lost_after : commit::lost_before;
}

void scripted_table::fail_opens(std::uint32_t times, failure why) {
  const std::lock_guard lock{mutex_};
  opens_to_fail_ = times;
  open_failure_ = std::move(why);
}

void scripted_table::hang_opens(bool on) {
  const std::lock_guard lock{mutex_};
  hang_opens_ = on;
  changed_.notify_all();
}

void scripted_table::refuse_id(std::int64_t id, std::optional<failure> why) {
  const std::lock_guard lock{mutex_};
  refused_.erase(id);
  if (why)
    refused_.emplace(id, std::move(*why));
}

std::vector<trip> scripted_table::trips() const {
  const std::lock_guard lock{mutex_};
  return trips_;
}

std::uint32_t scripted_table::opened() const {
  const std::lock_guard lock{mutex_};
  return opened_;
}

std::uint32_t scripted_table::connections() const {
  const std::lock_guard lock{mutex_};
  return connections_;
}

std::optional<failure> scripted_table::fault_of(const trip& t) {
  if (auto why = std::exchange(next_failure_, std::nullopt))
    return why;
  if (every_failure_)
    return every_failure_;
  return before_trip ? before_trip(t) : std::nullopt;
}

scripted_table::commit scripted_table::next_commit() {
  return std::exchange(next_commit_, commit::good);
}

bool scripted_table::is_due(const scripted_row& r, time_point now) const {
  return r.due <= now && r.group == of_->of().group()
         && (!r.locked_until || *r.locked_until <= now)
         && !locked_.contains(r.id);
}

std::vector<std::int64_t> scripted_table::claimable(std::uint32_t limit,
                                                    time_point now) const {
  std::vector<const scripted_row*> due;
  for (const auto& [id, r] : rows_)
    if (is_due(r, now))
      due.push_back(&r);
  std::stable_sort(due.begin(), due.end(),
                   [](auto* a, auto* b) { return a->due < b->due; });
  due.resize(std::min<std::size_t>(due.size(), limit));
  std::vector<std::int64_t> ids;
  for (const auto* r : due)
    ids.push_back(r->id);
  return ids;
}

shared_rows
scripted_table::rows_of(const std::vector<std::int64_t>& ids) const {
  std::vector<std::string> names;
  for (const auto& c : of_->description().columns())
    names.push_back(c.name);
  row_set::builder rows{names};
  for (const auto id : ids) {
    const auto& r = rows_.at(id);
    for (const auto& c : of_->description().columns())
      switch (c.role) {
        case column_role::id: rows.add(value{r.id}); break;
        case column_role::group: rows.add(value{r.group}); break;
        case column_role::retry_after: rows.add(value{r.due}); break;
        case column_role::attempt: rows.add(value{r.attempt}); break;
        case column_role::payload:
          rows.add(r.bad ? value{true} : value{r.payload});
          break;
        default: rows.add(r.locked_until ? value{*r.locked_until} : value{});
      }
  }
  return std::move(rows).finish();
}

bool scripted_table::is_held(const settlement& end,
                             const std::set<std::int64_t>& locked,
                             std::map<std::int64_t, scripted_row>& in) const {
  const auto id = *end.id.view().as_integer();
  const auto at = in.find(id);
  if (at == in.end())
    return false;
  if (!end.held)
    return locked.contains(id);
  return at->second.locked_until == end.held->locked_until
         && (!end.held->attempt || at->second.attempt == *end.held->attempt);
}

settled scripted_table::settle_one(const settlement& end,
                                   const std::set<std::int64_t>& locked,
                                   time_point now,
                                   std::map<std::int64_t, scripted_row>& in,
                                   std::vector<line>& lines) const {
  using how = settled::how;
  const auto id = *end.id.view().as_integer();
  if (const auto no = refused_.find(id); no != refused_.end())
    return {end.delivery, how::failed, no->second, {}};
  if (!is_held(end, locked, in))
    return {end.delivery, how::lost, {}, {}};
  auto& r = in.at(id);
  r.locked_until.reset();
  switch (end.what) {
    case event::unclaim: r.attempt -= end.held ? 1 : 0; break;
    case event::retry_after:
      r.due = after_delay(now, end.delay);
      [[fallthrough]];
    case event::retry: r.attempt += end.held ? 0 : 1; break;
    default: lines.push_back({id, end.what, now}); in.erase(id);
  }
  return {end.delivery, how::done, {}, {}};
}

} // namespace inbox::test
