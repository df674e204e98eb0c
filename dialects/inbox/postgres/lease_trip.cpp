#include <algorithm>
#include <unordered_set>

#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/groups.hpp"
#include "inbox/postgres/rows.hpp"
#include "inbox/postgres/session.hpp"

namespace inbox::postgres {

namespace {

class lease_trip {
public:
  lease_trip(session& on, const trip& request, time_point now)
    : on_{on},
      request_{request},
      set_{*request.statements},
      now_{now},
      lease_end_{inbox::lease_end(now, set_.of().settings.lease)},
      chances_{on} {}

  trip_result run() {
    const part parts[] = {settlements(), extensions(), read_backs()};
    prepare(parts);
    std::vector<segment> sent;
    std::vector<const part*> sent_parts;
    for (const auto& p : parts) {
      if (p.empty())
        continue;
      if (auto steps = steps_of(p)) {
        sent.push_back(std::move(*steps));
        sent_parts.push_back(&p);
      } else {
        fail(p, steps.error());
      }
    }
    const bool claims = add_claim(sent);
    auto came = run_segments(on_.on, sent, on_.until());
    for (std::size_t i = 0; i < sent_parts.size(); ++i)
      settle(*sent_parts[i], sent[i], std::move(came[i]));
    if (claims)
      claim(std::move(sent.back()), std::move(came.back()));
    return std::move(result_);
  }

private:
  part settlements() {
    result_.settlements.resize(request_.settlements.size());
    std::vector<item> rows;
    for (std::size_t i = 0; i < request_.settlements.size(); ++i)
      rows.push_back(of(request_.settlements[i], result_.settlements[i]));
    return gather(std::move(rows));
  }

  part extensions() {
    result_.extensions.resize(request_.extensions.size());
    std::vector<item> rows;
    for (std::size_t i = 0; i < request_.extensions.size(); ++i) {
      const auto& e = request_.extensions[i];
      result_.extensions[i].delivery = e.delivery;
      rows.push_back(
        {event::extend, e.id, &e.held, {}, &result_.extensions[i]});
    }
    return gather(std::move(rows));
  }

  part read_backs() {
    result_.read_backs.resize(request_.read_backs.size());
    std::vector<item> rows;
    for (std::size_t i = 0; i < request_.read_backs.size(); ++i) {
      auto r = of(request_.read_backs[i], result_.read_backs[i]);
      r.what = event::held;
      r.delay = {};
      rows.push_back(r);
    }
    return gather(std::move(rows));
  }

  static item of(const settlement& s, settled& answer) {
    answer.delivery = s.delivery;
    return {s.what, s.id, s.held ? &*s.held : nullptr, s.delay, &answer};
  }

  /// In one round trip what would be one for each statement.
  void prepare(std::span<const part> parts) {
    std::vector<std::string_view> texts;
    for (const auto& p : parts)
      for (const auto& g : p)
        for (const auto& s : set_.at(g.lead().what))
          if (!std::ranges::count(texts, s.text))
            texts.push_back(s.text);
    if (request_.claim)
      texts.push_back(set_.claim(request_.claim->limit).text.text);
    // A refusal shows again, by name, where the statement is used.
    on_.statements.prepare(texts, on_.until());
  }

  expected<segment> steps_of(const part& p) {
    segment steps;
    for (const auto& g : p) {
      const auto statements = set_.at(g.lead().what);
      if (statements.empty())
        return refuse(errc::missing_role,
                      "the table has no column for this event");
      for (const auto& s : statements)
        if (auto ok = add(steps, s, g); !ok)
          return tl::make_unexpected(ok.error());
    }
    return steps;
  }

  expected<void> add(segment& steps, const statement& s, const group& g) {
    auto how = on_.known(s.text);
    if (!how)
      return tl::make_unexpected(how.error());
    std::vector<value_view> ids;
    for (const auto& r : g.rows)
      ids.push_back(r.id);
    auto with = bind(s, **how,
                     {.of = set_.of(),
                      .now = now_,
                      .lease_end = lease_end_,
                      .delay = g.lead().delay,
                      .held = g.lead().held,
                      .ids = ids});
    if (!with)
      return tl::make_unexpected(with.error());
    steps.push_back({s.text, *how, std::move(*with)});
    return {};
  }

  bool add_claim(std::vector<segment>& sent) {
    if (!request_.claim)
      return false;
    auto steps = claim_steps(on_, request_, now_);
    if (!steps) {
      result_.claim = tl::make_unexpected(named(steps.error(), event::claim));
      return false;
    }
    sent.push_back(std::move(*steps));
    return true;
  }

  segment_result run_again(const segment& steps) {
    return std::move(
      run_segments(on_.on, std::span{&steps, 1}, on_.until()).front());
  }

  /// Writes a part's answers, after as many more tries as are left to it.
  void settle(const part& p, segment& steps, segment_result came) {
    while (!came.is_done() && chances_.allow(steps, came)) {
      auto again = steps_of(p);
      if (!again)
        return fail(p, again.error());
      steps = std::move(*again);
      came = run_again(steps);
    }
    if (came.is_done())
      return answer(p, came);
    if (came.is_answered || !came.is_sent) {
      if (came.is_answered && rows_in(p) > 1 && !on_.on.is_lost())
        return settle_one_by_one(p);
      return fail(p, *came.why);
    }
    for (const auto& g : p)
      for (const auto& r : g.rows)
        end(r, settled::how::unknown, unknown_after(*came.why));
  }

  /// So that only the rows at fault report it. One round trip, and a commit
  /// for each row.
  void settle_one_by_one(const part& p) {
    std::vector<part> single;
    std::vector<segment> sent;
    for (const auto& g : p)
      for (const auto& r : g.rows) {
        part one{group{{r}}};
        auto steps = steps_of(one);
        if (!steps) {
          fail(one, steps.error());
          continue;
        }
        single.push_back(std::move(one));
        sent.push_back(std::move(*steps));
      }
    auto came = run_segments(on_.on, sent, on_.until());
    for (std::size_t i = 0; i < single.size(); ++i)
      settle(single[i], sent[i], std::move(came[i]));
  }

  void answer(const part& p, const segment_result& came) {
    std::size_t at = 0;
    for (const auto& g : p) {
      // Of an event's statements the last one decides.
      at += set_.at(g.lead().what).size();
      answer(g, came.results[at - 1].get());
    }
  }

  void answer(const group& g, const PGresult* result) {
    auto rows = read_rows(result);
    if (!rows) {
      for (const auto& r : g.rows)
        end(r, settled::how::unknown, rows.error());
      return;
    }
    const auto returned = std::move(*rows).finish();
    const bool names_ids = !returned->columns().empty();
    std::unordered_set<value_view, value_hash> ids;
    for (std::size_t i = 0; names_ids && i < returned->size(); ++i)
      ids.insert(returned->at(i, 0));
    for (const auto& r : g.rows)
      answer(r, names_ids ? ids.contains(r.id) : affected_by(result) > 0);
  }

  void answer(const item& r, bool is_hit) {
    if (r.what == event::held)
      return end(r, is_hit ? settled::how::held : settled::how::done, {});
    end(r, is_hit ? settled::how::done : settled::how::lost, {});
    if (is_hit && r.what == event::extend)
      r.answer->now_held = token{lease_end_, r.held->attempt};
  }

  void fail(const part& p, const failure& why) {
    for (const auto& g : p)
      for (const auto& r : g.rows)
        end(r, settled::how::failed, why);
  }

  void end(const item& r, settled::how went, std::optional<failure> why) {
    r.answer->went = went;
    if (why)
      r.answer->why = named(*why, r.what);
  }

  failure named(failure why, event what) const {
    return std::move(why)
      .in_subscription(set_.of().name)
      .on_table(set_.description().name().qualified())
      .at(to_string(what));
  }

  void claim(segment steps, segment_result came) {
    while (!came.is_done() && chances_.allow(steps, came)) {
      auto again = claim_steps(on_, request_, now_);
      if (!again)
        break;
      steps = std::move(*again);
      came = run_again(steps);
    }
    auto rows = came.is_done()
                  ? read_claim(request_, now_, came.results.front().get())
                  : tl::make_unexpected(*came.why);
    if (!rows)
      rows = tl::make_unexpected(named(rows.error(), event::claim));
    result_.claim = std::move(rows);
  }

  session& on_;
  const trip& request_;
  const statement_set& set_;
  time_point now_;
  time_point lease_end_;
  second_chances chances_;
  trip_result result_;
};

} // namespace

trip_result run_lease(session& on, const trip& request, time_point now) {
  return lease_trip{on, request, now}.run();
}

} // namespace inbox::postgres
