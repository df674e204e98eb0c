#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/postgres/rows.hpp"
#include "inbox/postgres/session.hpp"

namespace inbox::postgres {

namespace {

/// What a step answers after one that was refused (in_failed_sql_transaction).
constexpr const char* not_run = "25P02";

/// The claim's transaction holds its rows, so everything here is about that
/// one transaction: settle and commit it, or end it, then open the next.
class row_lock_trip {
public:
  row_lock_trip(session& on, const trip& request, time_point now)
    : on_{on},
      request_{request},
      set_{*request.statements},
      now_{now},
      chances_{on} {}

  trip_result run() {
    refuse_the_rest();
    std::vector<segment> sent;
    const bool ends = add_end(sent);
    const bool claims = add_claim(sent);
    auto came = send(sent);
    if (ends && request_.settlements.empty())
      end_quietly();
    else if (ends)
      settle(sent.front(), came.front());
    if (claims)
      claim(std::move(sent.back()), std::move(came.back()));
    if (!is_held_)
      end_quietly();
    return std::move(result_);
  }

private:
  /// What this form does not have.
  void refuse_the_rest() {
    const failure none{errc::form_mismatch,
                       "a row lock ends with its session: there is nothing to "
                       "extend or to read back"};
    for (const auto& e : request_.extensions)
      result_.extensions.push_back(
        {e.delivery, settled::how::failed, named(none, event::extend), {}});
    for (const auto& s : request_.read_backs)
      result_.read_backs.push_back(
        {s.delivery, settled::how::unknown, named(none, event::held), {}});
  }

  /// Settlements and COMMIT, or ROLLBACK, as the first segment.
  bool add_end(std::vector<segment>& sent) {
    if (request_.settlements.empty()) {
      if (request_.roll_back && on_.in_transaction())
        sent.push_back(bare("ROLLBACK"));
      return !sent.empty();
    }
    if (!on_.in_transaction()) {
      fail({errc::connection_lost,
            "the transaction that held the rows is over; they are back in the "
            "queue"});
      return false;
    }
    auto steps = settlement_steps();
    if (!steps) {
      fail(steps.error());
      sent.push_back(bare("ROLLBACK"));
      settled_ = true;
      return true;
    }
    sent.push_back(std::move(*steps));
    return true;
  }

  std::vector<segment_result> send(const std::vector<segment>& sent) {
    const bool settles = !request_.settlements.empty() && !settled_;
    return sent.size() == 2 && settles
             ? settle_and_claim(sent)
             : run_segments(on_.on, sent, on_.until());
  }

  /// As one, so that the server answers once. The last answer of the first is
  /// the commit's: with it the first is written, whatever came of the second.
  std::vector<segment_result>
  settle_and_claim(const std::vector<segment>& sent) {
    auto came = run_as_one(on_.on, sent, on_.until());
    auto& end = came.front();
    end.is_sent = true; // the commit may have left ahead of the Sync
    if (end.results.size() == sent.front().size()) {
      end.is_answered = true;
      end.why.reset();
    } else if (end.is_answered) {
      came.back().why = failure{errc::statement,
                                "the settlement before was refused"}
                          .with_native(not_run);
    }
    return came;
  }

  static segment bare(std::string_view text) {
    segment one(1);
    one.front().text = text;
    return one;
  }

  expected<segment> settlement_steps() {
    segment steps;
    for (const auto& s : request_.settlements)
      for (const auto& text : set_.at(s.what)) {
        auto one = step_of(text, s);
        if (!one)
          return tl::make_unexpected(one.error());
        steps.push_back(std::move(*one));
      }
    steps.push_back(std::move(bare("COMMIT").front()));
    return steps;
  }

  expected<step> step_of(const statement& text, const settlement& s) {
    auto how = on_.known(text.text);
    if (!how)
      return tl::make_unexpected(how.error());
    const value_view id[] = {s.id.view()};
    auto with = bind(
      text, **how, {.of = set_.of(), .now = now_, .delay = s.delay, .ids = id});
    if (!with)
      return tl::make_unexpected(with.error());
    return step{text.text, *how, std::move(*with)};
  }

  bool add_claim(std::vector<segment>& sent) {
    if (!request_.claim)
      return false;
    if (sent.empty() && on_.in_transaction()) {
      result_.claim = tl::make_unexpected(
        named({errc::statement, "the session still holds a claim's rows; "
                                "settle them or roll back first"},
              event::claim));
      is_held_ = true;
      return false;
    }
    auto steps = opened_claim();
    if (!steps) {
      result_.claim = tl::make_unexpected(named(steps.error(), event::claim));
      return false;
    }
    sent.push_back(std::move(*steps));
    return true;
  }

  expected<segment> opened_claim() {
    auto steps = claim_steps(on_, request_, now_);
    if (!steps)
      return steps;
    // The set was built, so its table's opening is one of ours.
    begin_ = dialect{}.begin(set_.description()).value_or("BEGIN");
    steps->insert(steps->begin(), std::move(bare(begin_).front()));
    return steps;
  }

  void settle(const segment& steps, const segment_result& came) {
    if (settled_)
      return;
    if (came.is_done())
      return answer(came);
    if (came.is_stale) // the next transaction prepares it anew
      chances_.allow(steps, came);
    if (came.is_answered || !came.is_sent || steps.size() == 1)
      return fail(*came.why);
    for (const auto& s : request_.settlements)
      end(s, settled::how::unknown, unknown_after(*came.why));
  }

  void answer(const segment_result& came) {
    // A transaction that had failed before answers COMMIT with ROLLBACK.
    if (std::string_view{PQcmdStatus(came.results.back().get())} != "COMMIT")
      return fail({errc::statement, "the transaction had failed before its "
                                    "commit and was rolled back"});
    std::size_t at = 0;
    for (const auto& s : request_.settlements) {
      const auto statements = set_.at(s.what).size();
      at += statements;
      const bool is_hit = statements == 0
                          || affected_by(came.results[at - 1].get()) > 0;
      end(s, is_hit ? settled::how::done : settled::how::lost, {});
    }
  }

  void claim(segment steps, segment_result came) {
    // A settlement that failed leaves its transaction for the claim to trip
    // over.
    bool is_first = true;
    while (!came.is_done()) {
      const bool tripped = is_first && came.why->native() == not_run;
      is_first = false;
      if (on_.on.is_lost() || !(tripped || chances_.allow(steps, came)))
        break;
      end_quietly();
      auto again = opened_claim();
      if (!again) {
        came.why = again.error();
        break;
      }
      steps = std::move(*again);
      came = std::move(
        run_segments(on_.on, std::span{&steps, 1}, on_.until()).front());
    }
    keep(came);
  }

  void keep(const segment_result& came) {
    auto rows = came.is_done()
                  ? read_claim(request_, now_, came.results.back().get())
                  : tl::make_unexpected(*came.why);
    if (!rows)
      rows = tl::make_unexpected(named(rows.error(), event::claim));
    is_held_ = rows && rows->rows->size() > 0;
    result_.claim = std::move(rows);
  }

  /// Ends a transaction nobody needs; a session that cannot is lost anyway.
  void end_quietly() {
    if (!on_.on.is_lost() && on_.in_transaction())
      on_.on.run("ROLLBACK", on_.until());
  }

  void fail(const failure& why) {
    for (const auto& s : request_.settlements)
      end(s, settled::how::failed, why);
  }

  void end(const settlement& s, settled::how went, std::optional<failure> why) {
    settled ended{s.delivery, went, {}, {}};
    if (why)
      ended.why = named(*why, s.what);
    result_.settlements.push_back(std::move(ended));
  }

  failure named(failure why, event what) const {
    return std::move(why)
      .in_subscription(set_.of().name)
      .on_table(set_.description().name().qualified())
      .at(to_string(what));
  }

  session& on_;
  const trip& request_;
  const statement_set& set_;
  time_point now_;
  second_chances chances_;
  std::string begin_;
  bool settled_ = false; ///< The settlements' answers stand already.
  bool is_held_ = false; ///< The transaction is open for a reason.
  trip_result result_;
};

} // namespace

trip_result run_row_lock(session& on, const trip& request, time_point now) {
  return row_lock_trip{on, request, now}.run();
}

} // namespace inbox::postgres
