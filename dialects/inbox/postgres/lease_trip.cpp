#include <algorithm>

#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/groups.hpp"
#include "inbox/postgres/session.hpp"
#include "inbox/postgres/settled_answers.hpp"

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
      answers_{set_, lease_end_},
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
        answers_.fail(p, steps.error());
      }
    }
    const bool claims = add_claim(sent);
    const bool one_commit = claims && sent.size() == 2;
    if (!one_commit || !settle_and_claim(*sent_parts[0], sent))
      run_each(sent_parts, sent, claims);
    return std::move(result_);
  }

private:
  part settlements() {
    result_.settlements.resize(request_.settlements.size());
    std::vector<item> rows;
    rows.reserve(request_.settlements.size());
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

  void run_each(const std::vector<const part*>& parts,
                std::vector<segment>& sent, bool claims) {
    auto came = run_segments(on_.on, sent, on_.until());
    for (std::size_t i = 0; i < parts.size(); ++i)
      settle(*parts[i], sent[i], std::move(came[i]));
    if (claims)
      claim(std::move(sent.back()), std::move(came.back()));
  }

  /// A part and the claim behind it in one commit, so that the trip waits for
  /// the disk once.
  /// @returns false when the server refused the two and nothing was written:
  ///          neither may spoil the other when they run again.
  bool settle_and_claim(const part& p, std::vector<segment>& sent) {
    auto came = run_as_one(on_.on, sent, on_.until());
    if (came.front().is_answered && came.front().why)
      return false;
    settle(p, sent.front(), std::move(came.front()));
    claim(std::move(sent.back()), std::move(came.back()));
    return true;
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
      texts.push_back(set_.claim(request_.claim->limit)
                        .beginning(request_.claim->since.has_value())
                        .text);
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
    ids.reserve(g.rows.size());
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
      result_.claim = tl::make_unexpected(
        answers_.named(steps.error(), event::claim));
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
        return answers_.fail(p, again.error());
      steps = std::move(*again);
      came = run_again(steps);
    }
    if (came.is_done())
      return answers_.read(p, came);
    if (came.is_answered || !came.is_sent) {
      if (came.is_answered && rows_in(p) > 1 && !on_.on.is_lost())
        return settle_one_by_one(p);
      return answers_.fail(p, *came.why);
    }
    answers_.put(p, settled::how::unknown, unknown_after(*came.why));
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
          answers_.fail(one, steps.error());
          continue;
        }
        single.push_back(std::move(one));
        sent.push_back(std::move(*steps));
      }
    auto came = run_segments(on_.on, sent, on_.until());
    for (std::size_t i = 0; i < single.size(); ++i)
      settle(single[i], sent[i], std::move(came[i]));
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
      rows = tl::make_unexpected(answers_.named(rows.error(), event::claim));
    result_.claim = std::move(rows);
  }

  session& on_;
  const trip& request_;
  const statement_set& set_;
  time_point now_;
  time_point lease_end_;
  settled_answers answers_;
  second_chances chances_;
  trip_result result_;
};

} // namespace

trip_result run_lease(session& on, const trip& request, time_point now) {
  return lease_trip{on, request, now}.run();
}

} // namespace inbox::postgres
