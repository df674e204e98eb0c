#include "inbox/sqlite/trip_run.hpp"

#include <algorithm>
#include <iterator>

#include "inbox/sqlite/claim_rows.hpp"
#include "inbox/sqlite/errors.hpp"

namespace inbox::sqlite {

namespace {

using how = settled::how;

settled answer_to(delivery_number delivery) {
  settled s;
  s.delivery = delivery;
  return s;
}

void fail(settled& s, const failure& why) {
  s.went = why.is_outcome_unknown() ? how::unknown : how::failed;
  s.why = why;
  s.now_held.reset();
}

/// The same rows without the ones that are not marked.
shared_rows only(row_set::builder rows, const std::vector<bool>& taken,
                 const table& t) {
  if (std::find(taken.begin(), taken.end(), false) == taken.end())
    return std::move(rows).finish();
  const auto all = std::move(rows).finish();
  row_set::builder kept{all->columns()};
  for (std::size_t i = 0; i < taken.size(); ++i)
    for (std::size_t c = 0; taken[i] && c < t.columns().size(); ++c)
      kept.add(all->at(i, c));
  return std::move(kept).finish();
}

void append(std::vector<settled>& to, std::vector<settled>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

} // namespace

bindings trip_run::bound() const {
  const auto& s = with_.statements().of();
  return {.of = s, .now = now_, .lease = lease_end(now_, s.settings.lease)};
}

bool trip_run::is_claim_alone() const noexcept {
  return request_.claim && parts() == 1;
}

std::size_t trip_run::parts() const noexcept {
  return request_.settlements.size() + request_.extensions.size()
         + request_.read_backs.size() + (request_.claim ? 1 : 0);
}

trip_result trip_run::run() {
  if (parts() == 0)
    return {};
  // What fails a look fails the claim too, which reports it.
  if (request_.claim)
    with_.look(in_, now_);
  if (is_claim_alone()) {
    auto due = probe();
    if (!due)
      return all_failed(request_, due.error());
    if (!*due) {
      result_.claim = claimed_rows{request_.claim->number,
                                   request_.claim->limit,
                                   std::make_shared<row_set>(),
                                   now_,
                                   {}};
      return std::move(result_);
    }
  }
  auto done = in_.begin().and_then([&] { return write(); });
  if (done)
    done = in_.commit();
  else
    in_.roll_back();
  if (done)
    return std::move(result_);
  if (is_of_one_row(done.error()) && parts() > 1)
    return one_by_one();
  return all_failed(request_, done.error());
}

expected<bool> trip_run::probe() {
  const auto [limit, select] = with_.statements().claim(1);
  auto values = bound();
  values.limit = limit;
  auto found = select.bind(values).and_then([&] { return select.text.step(); });
  select.text.reset();
  return found;
}

expected<void> trip_run::write() {
  result_.settlements.reserve(request_.settlements.size());
  for (const auto& s : request_.settlements)
    if (auto done = settle(
          s, result_.settlements.emplace_back(answer_to(s.delivery)));
        !done)
      return done;
  for (const auto& e : request_.extensions)
    if (auto done = extend(
          e, result_.extensions.emplace_back(answer_to(e.delivery)));
        !done)
      return done;
  for (const auto& s : request_.read_backs)
    if (auto done = read_back(
          s, result_.read_backs.emplace_back(answer_to(s.delivery)));
        !done)
      return done;
  return request_.claim ? claim(*request_.claim) : expected<void>{};
}

expected<void> trip_run::note(settled& into, failure why) {
  auto placed = std::move(why)
                  .in_subscription(with_.statements().of().name)
                  .on_table(with_.description().name().qualified());
  if (!in_.in_transaction() || !is_of_one_row(placed))
    return tl::make_unexpected(std::move(placed));
  fail(into, placed);
  return {};
}

expected<void> trip_run::settle(const settlement& s, settled& into) {
  auto row = bound();
  row.id = s.id;
  row.held = s.held ? &*s.held : nullptr;
  row.delay = s.delay;
  auto changed = run_event(s.what, row);
  if (!changed)
    return note(into, failure{changed.error()}.at(to_string(s.what)));
  into.went = *changed > 0 ? how::done : how::lost;
  return {};
}

expected<void> trip_run::extend(const extension& e, settled& into) {
  auto row = bound();
  row.id = e.id;
  row.held = &e.held;
  auto changed = run_event(event::extend, row);
  if (!changed)
    return note(into, failure{changed.error()}.at("extend"));
  into.went = *changed > 0 ? how::done : how::lost;
  if (*changed > 0)
    into.now_held = token{row.lease, e.held.attempt};
  return {};
}

expected<void> trip_run::read_back(const settlement& s, settled& into) {
  auto row = bound();
  row.id = s.id;
  row.held = s.held ? &*s.held : nullptr;
  const auto texts = with_.statements().at(event::held);
  if (texts.empty())
    return note(
      into, failure{errc::missing_role, "the table has no lease to read back"});
  auto& asked = texts.front();
  auto found = asked.bind(row).and_then([&] { return asked.text.step(); });
  asked.text.reset();
  if (!found)
    return note(into, failure{found.error()}.at("held"));
  into.went = *found ? how::held : how::done;
  return {};
}

expected<std::uint64_t> trip_run::run_event(event e, const bindings& row) {
  const auto texts = with_.statements().at(e);
  if (texts.empty())
    return refuse(errc::missing_role, "the table has no column for it");
  if (texts.size() == 1)
    return run_all(texts, row);
  // Two statements are one step of the row's: both or neither.
  if (auto begun = in_.run("SAVEPOINT one_row"); !begun)
    return tl::make_unexpected(begun.error());
  auto changed = run_all(texts, row);
  if (!changed && in_.in_transaction())
    if (auto undone = in_.run("ROLLBACK TO one_row"); !undone)
      return tl::make_unexpected(undone.error());
  if (in_.in_transaction())
    if (auto ended = in_.run("RELEASE one_row"); !ended)
      return tl::make_unexpected(ended.error());
  return changed;
}

expected<std::uint64_t> trip_run::run_all(std::span<ready_statement> texts,
                                          const bindings& row) {
  std::uint64_t changed = 0;
  for (auto& s : texts) {
    auto done = s.bind(row).and_then([&] { return s.text.run(); });
    if (!done)
      return done;
    changed = *done;
  }
  return changed;
}

expected<void> trip_run::claim(const claim_order& order) {
  auto row = bound();
  auto found = select_rows(in_, with_, row, order.limit);
  if (!found) {
    if (in_.in_transaction() && is_of_one_row(found.error())) {
      result_.claim = tl::make_unexpected(found.error());
      return {};
    }
    return tl::make_unexpected(found.error());
  }
  const auto id = *with_.description().position(column_role::id);
  std::vector<bool> taken(found->rows.size(), false);
  std::optional<failure> refused;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    row.id = found->rows.at(i, id);
    auto stamped = run_event(event::stamp, row);
    if (!stamped && (!in_.in_transaction() || !is_of_one_row(stamped.error())))
      return tl::make_unexpected(stamped.error());
    if (!stamped)
      refused = failure{stamped.error()}.at("stamp");
    taken[i] = stamped && *stamped > 0;
  }
  auto rows = only(std::move(found->rows), taken, with_.description());
  if (rows->size() == 0 && refused)
    result_.claim = tl::make_unexpected(*refused);
  else
    result_.claim = claimed_rows{order.number, found->asked, std::move(rows),
                                 now_, row.lease};
  return {};
}

trip_result trip_run::one_by_one() {
  trip_result all;
  const auto run = [&](const auto& fill) {
    trip part;
    fill(part);
    auto one = trip_run{in_, with_, part, now_}.run();
    append(all.settlements, one.settlements);
    append(all.extensions, one.extensions);
    append(all.read_backs, one.read_backs);
    if (one.claim)
      all.claim = std::move(one.claim);
    if (one.session_lost && !all.session_lost)
      all.session_lost = std::move(one.session_lost);
  };
  for (const auto& s : request_.settlements)
    run([&](trip& part) { part.settlements.push_back(s); });
  for (const auto& e : request_.extensions)
    run([&](trip& part) { part.extensions.push_back(e); });
  for (const auto& s : request_.read_backs)
    run([&](trip& part) { part.read_backs.push_back(s); });
  if (request_.claim)
    run([&](trip& part) { part.claim = request_.claim; });
  return all;
}

trip_result all_failed(const trip& request, const failure& why) {
  trip_result none;
  const auto add = [&](std::vector<settled>& to, delivery_number delivery) {
    fail(to.emplace_back(answer_to(delivery)), why);
  };
  for (const auto& s : request.settlements)
    add(none.settlements, s.delivery);
  for (const auto& e : request.extensions)
    add(none.extensions, e.delivery);
  for (const auto& s : request.read_backs)
    add(none.read_backs, s.delivery);
  if (request.claim)
    none.claim = tl::make_unexpected(why);
  if (why.is_session_lost())
    none.session_lost = why;
  return none;
}

} // namespace inbox::sqlite
