#include "inbox/sqlite/prepared_set.hpp"

namespace inbox::sqlite {

ready_statement::ready_statement(prepared t, const statement& meaning)
  : text{std::move(t)}, meaning_{&meaning}, bound_(meaning.params.size()) {}

expected<void> ready_statement::bind(const bindings& with) {
  for (std::size_t at = 0; at < bound_.size(); ++at)
    if (auto bound = bind_one(at, with); !bound)
      return bound;
  return {};
}

expected<void> ready_statement::bind_one(std::size_t at, const bindings& with) {
  using enum param::meaning;
  const auto n = static_cast<int>(at) + 1;
  const auto what = meaning_->params[at].what;
  switch (what) {
    case group: return bind_once(at, with.of.group());
    case now: return bind_time(at, with.now);
    case limit: return text.bind(n, value_view::of(std::int64_t{with.limit}));
    case token: return bind_time(at, with.lease);
    case id: return text.bind(n, with.id);
    case held_token:
      if (with.held)
        return bind_time(at, with.held->locked_until);
      bound_[at].reset();
      return text.bind(n, value_view{});
    case held_attempt:
      return text.bind(n, with.held && with.held->attempt
                            ? value_view::of(*with.held->attempt)
                            : value_view{});
    case retry_at: return bind_time(at, after_delay(with.now, with.delay));
    case retry_delay:
      return text.bind(n, value_view::of(std::int64_t{with.delay.count()}));
    case destination:
      return bind_once(at, with.of.dead_letter_group().value_or(""));
    // No mark is kept here: nothing lies below the empty text.
    case low_mark: return bind_once(at, "");
    case ids:
    case value: break;
  }
  return refuse(errc::statement, "a session cannot bind the "
                                   + std::string{to_string(what)}
                                   + " of a statement on SQLite");
}

expected<void> ready_statement::bind_time(std::size_t at, time_point t) {
  if (bound_[at] == t)
    return {};
  bound_[at].reset();
  auto bound = text.bind(static_cast<int>(at) + 1, value_view::of(t));
  if (bound)
    bound_[at] = t;
  return bound;
}

expected<void> ready_statement::bind_once(std::size_t at,
                                          std::string_view name) {
  if (bound_[at])
    return {};
  auto bound = text.bind(static_cast<int>(at) + 1,
                         value_view::text(names_.emplace_back(name)));
  if (bound)
    bound_[at] = time_point{};
  return bound;
}

expected<prepared_set> prepared_set::make(open_file& in,
                                          shared_statements from) {
  prepared_set set{std::move(from)};
  for (std::uint8_t i = 0; i < event_count; ++i) {
    const auto e = static_cast<event>(i);
    for (const auto& s : set.from_->at(e))
      if (auto added = set.add(in, e, s, set.by_event_[i]); !added)
        return tl::make_unexpected(added.error());
  }
  for (const auto& c : set.from_->claims())
    if (auto added = set.add(in, event::claim, c.text, set.claims_); !added)
      return tl::make_unexpected(added.error());
  return set;
}

expected<void> prepared_set::add(open_file& in, event e, const statement& s,
                                 std::vector<ready_statement>& to) {
  auto text = prepared::make(in, s.text);
  if (!text)
    return tl::make_unexpected(
      failure{text.error()}
        .in_subscription(of().name)
        .on_table(from_->description().name().qualified())
        .at(to_string(e)));
  to.emplace_back(std::move(*text), s);
  return {};
}

std::span<ready_statement> prepared_set::at(event e) noexcept {
  return by_event_[static_cast<std::size_t>(e)];
}

prepared_set::sized prepared_set::claim(std::uint32_t wanted) noexcept {
  const auto& chosen = from_->claim(wanted);
  const auto at = static_cast<std::size_t>(&chosen - from_->claims().data());
  return {chosen.limit == 0 ? wanted : chosen.limit, claims_[at]};
}

} // namespace inbox::sqlite
