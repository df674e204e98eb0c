#include "sqlite_loops.hpp"

#include "jobs.hpp"
#include "sqlite_file.hpp"

namespace bench {

namespace {

using ids = std::vector<std::int64_t>;

/// Every row is claimed once, so that its attempt went from 1 to 2.
constexpr std::int64_t held_attempt = 2;

/// Instants as the column keeps them.
struct instants {
  std::string now;
  std::string token;

  explicit instants(const inbox::statement_set& of) {
    const auto at = inbox::host_now();
    now = inbox::to_sql_text(at);
    token = inbox::to_sql_text(inbox::lease_end(at, of.of().settings.lease));
  }
};

/// A text with the meanings of its parameters.
struct step {
  prepared_text text;
  const std::vector<inbox::param>& params;

  void bind(const instants& at, std::int64_t id, std::int64_t limit = 0) {
    using meaning = inbox::param::meaning;
    for (int i = 1; const auto& p : params) {
      switch (p.what) {
        case meaning::group: text.bind(i, group_name); break;
        case meaning::now: text.bind(i, at.now); break;
        case meaning::token:
        case meaning::held_token: text.bind(i, at.token); break;
        case meaning::id: text.bind(i, id); break;
        case meaning::limit: text.bind(i, limit); break;
        default: text.bind(i, bench::held_attempt); break;
      }
      ++i;
    }
  }
};

/// A connection with everything prepared.
struct hand {
  sqlite_file on;
  prepared_text begin;
  prepared_text commit;
  step claim;
  step stamp;
  step ack;
};

inbox::expected<hand> hire(const sqlite_loop& loop) {
  using enum inbox::event;
  const auto& set = *loop.statements;
  auto on = sqlite_file::open(loop.file);
  if (!on)
    return tl::make_unexpected(on.error());
  const auto& claim_text = set.claim(loop.rows).text;
  const auto& stamp_text = set.at(stamp).front();
  const auto& ack_text = set.at(ack).front();
  auto begin = on->prepare("BEGIN IMMEDIATE");
  auto commit = on->prepare("COMMIT");
  auto claiming = on->prepare(claim_text.text);
  auto stamping = on->prepare(stamp_text.text);
  auto acking = on->prepare(ack_text.text);
  if (!begin || !commit || !claiming || !stamping || !acking)
    return on->failed();
  return hand{std::move(*on),
              std::move(*begin),
              std::move(*commit),
              {std::move(*claiming), claim_text.params},
              {std::move(*stamping), stamp_text.params},
              {std::move(*acking), ack_text.params}};
}

bool run(prepared_text& text) {
  const auto code = text.step();
  text.reset();
  return code == SQLITE_DONE;
}

/// Selects and stamps; marks the rows. @returns false after an error.
bool claim(hand& by, const instants& at, std::uint32_t limit, tally& rows,
           ids& taken) {
  taken.clear();
  by.claim.bind(at, 0, limit);
  int code = 0;
  while ((code = by.claim.text.step()) == SQLITE_ROW)
    taken.push_back(by.claim.text.integer_at(0));
  by.claim.text.reset();
  for (const auto id : taken) {
    by.stamp.bind(at, id);
    if (!run(by.stamp.text))
      return false;
    rows.mark(id);
  }
  return code == SQLITE_DONE;
}

/// @returns false after an error, and when a row was not ours.
bool settle(hand& by, const instants& held, const ids& taken) {
  for (const auto id : taken) {
    by.ack.bind(held, id);
    if (!run(by.ack.text) || by.on.changes() != 1)
      return false;
  }
  return true;
}

/// One transaction: settles what is held and claims.
bool fused_turn(hand& by, const sqlite_loop& loop, instants& at, ids& held,
                tally& rows) {
  if (!run(by.begin) || !settle(by, at, held))
    return false;
  at = instants{*loop.statements};
  return claim(by, at, loop.rows, rows, held) && run(by.commit);
}

bool each_turn(hand& by, const sqlite_loop& loop, instants& at, ids& held,
               tally& rows) {
  at = instants{*loop.statements};
  return run(by.begin) && claim(by, at, loop.rows, rows, held) && run(by.commit)
         && settle(by, at, held);
}

using turn = bool (*)(hand&, const sqlite_loop&, instants&, ids&, tally&);

inbox::expected<void> repeat(turn each, const sqlite_loop& loop,
                             stopwatch& watch, tally& rows) {
  auto by = hire(loop);
  if (!by)
    return tl::make_unexpected(by.error());
  instants at{*loop.statements};
  ids held;
  watch.start();
  do
    if (!each(*by, loop, at, held, rows))
      return by->on.failed();
  while (!held.empty());
  watch.stop();
  return {};
}

} // namespace

inbox::expected<void> sel_fused(const sqlite_loop& loop, stopwatch& watch,
                                tally& rows) {
  return repeat(fused_turn, loop, watch, rows);
}

inbox::expected<void> sel_each(const sqlite_loop& loop, stopwatch& watch,
                               tally& rows) {
  return repeat(each_turn, loop, watch, rows);
}

} // namespace bench
