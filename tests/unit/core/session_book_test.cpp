#define CAF_SUITE session_book
#include "inbox/test/random.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "inbox/session_book.hpp"

using namespace inbox;
using instant = session_book::instant;
using kind = session_book::step::kind;
using purpose = loan_purpose;

namespace {

constexpr instant start{std::chrono::hours{1}};

/// Takes steps until there are none; every opening succeeds.
std::vector<session_book::step> serve(session_book& book, instant now = start) {
  std::vector<session_book::step> lent;
  for (auto steps = book.next(now); !steps.empty(); steps = book.next(now))
    for (const auto& s : steps)
      if (s.what == kind::open)
        book.on_opened(s.slot);
      else
        lent.push_back(s);
  return lent;
}

} // namespace

CAF_TEST(a session is opened when it is needed and lent) {
  session_book book{{.size = 4}};
  CAF_CHECK(book.next(start).empty());
  const auto loan = book.ask(purpose::settle);
  const auto opens = book.next(start);
  CAF_REQUIRE_EQUAL(opens.size(), 1u);
  CAF_CHECK(opens[0].what == kind::open);
  CAF_CHECK(book.next(start).empty());
  CAF_CHECK(!book.is_idle());
  book.on_opened(opens[0].slot);
  const auto lent = book.next(start);
  CAF_REQUIRE_EQUAL(lent.size(), 1u);
  CAF_CHECK_EQUAL(lent[0].loan, loan);
  book.give_back(loan, true, start, 0);
  CAF_CHECK(book.is_idle());
}

CAF_TEST(loans go out by purpose and then by age) {
  session_book book{{.size = 3}};
  std::vector<loan_number> lent;
  const auto give_back_all = [&] {
    for (const auto loan : lent)
      book.give_back(loan, true, start, 0);
    lent.clear();
    for (const auto& s : serve(book))
      lent.push_back(s.loan);
  };
  for (int i = 0; i < 3; ++i)
    lent.push_back(book.ask(purpose::unlock));
  CAF_REQUIRE_EQUAL(serve(book).size(), 3u);
  const auto other = book.ask(purpose::other);
  const auto claim = book.ask(purpose::claim);
  const auto extend = book.ask(purpose::extend);
  const auto settle_1 = book.ask(purpose::settle);
  const auto settle_2 = book.ask(purpose::settle);
  give_back_all();
  CAF_CHECK(lent == (std::vector{settle_1, settle_2, extend}));
  give_back_all();
  CAF_CHECK(lent == (std::vector{claim, other}));
}

CAF_TEST(B69 the last free session is never lent for a claim) {
  session_book book{{.size = 3}};
  for (int i = 0; i < 3; ++i)
    book.ask(purpose::claim);
  CAF_CHECK_EQUAL(serve(book).size(), 2u);
  CAF_CHECK_EQUAL(book.spare(), 0u);
  book.ask(purpose::settle);
  CAF_CHECK_EQUAL(serve(book).size(), 1u);
}

CAF_TEST(spare counts what may still be opened) {
  session_book book{{.size = 8}};
  CAF_CHECK_EQUAL(book.spare(), 7u);
  book.ask(purpose::claim);
  serve(book);
  CAF_CHECK_EQUAL(book.spare(), 6u);
}

CAF_TEST(one writer takes everything but other work) {
  session_book book{{.size = 3, .one_writer = true}};
  const auto claim = book.ask(purpose::claim);
  book.ask(purpose::settle);
  book.ask(purpose::other);
  CAF_CHECK_EQUAL(book.spare(), 1u);
  const auto lent = serve(book);
  CAF_REQUIRE_EQUAL(lent.size(), 2u);
  CAF_CHECK_EQUAL(lent[0].slot + lent[1].slot, 1u);
  CAF_CHECK_EQUAL(book.spare(), 0u);
  CAF_CHECK(book.take_refused().empty());
  CAF_CHECK(serve(book).empty());
  CAF_CHECK(book.withdraw(claim));
}

CAF_TEST(a request can be withdrawn until it is lent) {
  session_book book{{.size = 2}};
  const auto gone = book.ask(purpose::settle);
  CAF_CHECK(book.withdraw(gone));
  CAF_CHECK(book.next(start).empty());
  const auto lent = book.ask(purpose::settle);
  serve(book);
  CAF_CHECK(!book.withdraw(lent));
}

CAF_TEST(B65 an opening that fails waits longer each time up to a cap) {
  session_book book{{.size = 4}};
  book.ask(purpose::settle);
  auto now = start;
  auto waited = duration::zero();
  for (int i = 0; i < 12; ++i) {
    const auto steps = book.next(now);
    CAF_REQUIRE_EQUAL(steps.size(), 1u);
    book.on_lost(steps[0].slot, now, 0.5);
    CAF_REQUIRE(book.next_due().has_value());
    CAF_CHECK(book.next(now).empty());
    const auto wait = std::chrono::duration_cast<duration>(*book.next_due()
                                                           - now);
    CAF_CHECK(wait >= waited && wait <= duration{10s});
    waited = wait;
    now = *book.next_due();
  }
  CAF_CHECK(waited == duration{10s});
}

CAF_TEST(B65 many sessions lost at once are one failure) {
  session_book book{{.size = 8}};
  std::vector<loan_number> loans;
  for (int i = 0; i < 8; ++i)
    loans.push_back(book.ask(purpose::settle));
  CAF_CHECK_EQUAL(serve(book).size(), 8u);
  for (const auto loan : loans)
    book.give_back(loan, false, start, 0.5);
  book.ask(purpose::settle);
  CAF_CHECK(book.next(start).empty());
  CAF_REQUIRE(book.next_due().has_value());
  CAF_CHECK(*book.next_due() - start == 100ms);
}

CAF_TEST(a server that accepts and then breaks off is backed off from) {
  session_book book{{.size = 2}};
  auto now = start;
  auto last = duration::zero();
  for (int i = 0; i < 5; ++i) {
    const auto loan = book.ask(purpose::settle);
    CAF_CHECK_EQUAL(serve(book, now).size(), 1u);
    book.give_back(loan, false, now, 0.5);
    book.ask(purpose::unlock);
    CAF_REQUIRE(book.next_due().has_value());
    const auto wait = std::chrono::duration_cast<duration>(*book.next_due()
                                                           - now);
    CAF_CHECK(wait > last);
    last = wait;
    now = *book.next_due();
    const auto left = serve(book, now);
    CAF_REQUIRE_EQUAL(left.size(), 1u);
    book.give_back(left[0].loan, false, now, 0.5);
    now += 20s;
  }
}

CAF_TEST(B67 without a session claims are refused and settlements wait) {
  session_book book{{.size = 4}};
  const auto settle = book.ask(purpose::settle);
  const auto claim = book.ask(purpose::claim);
  const auto other = book.ask(purpose::other);
  for (const auto& s : book.next(start))
    book.on_lost(s.slot, start, 0.5);
  CAF_CHECK(book.take_refused() == (std::vector{claim, other}));
  CAF_CHECK(book.take_refused().empty());
  const auto lent = serve(book, start + 1min);
  CAF_REQUIRE_EQUAL(lent.size(), 1u);
  CAF_CHECK_EQUAL(lent[0].loan, settle);
}

namespace {

/// A pool whose sessions open, fail and break at random.
class pool_model {
public:
  pool_model(test::random& dice, session_book::settings s)
    : dice_{dice}, settings_{s}, book_{s} {}

  void step() {
    now_ += std::chrono::milliseconds{dice_.below(200)};
    switch (dice_.below(4)) {
      case 0: ask(static_cast<purpose>(dice_.below(5))); break;
      case 1: opening_ends(dice_.chance(60)); break;
      case 2: loan_ends(dice_.chance(80)); break;
      default:
        for (const auto loan : book_.take_refused()) {
          CAF_CHECK(asked_.at(loan) >= purpose::claim);
          asked_.erase(loan);
        }
    }
    follow();
  }

  /// With the database back everything that waits is served.
  void end() {
    for (int i = 0; i < 10'000 && !asked_.empty(); ++i) {
      now_ += 20s;
      follow();
      opening_ends(true);
      loan_ends(true);
      follow();
    }
    CAF_CHECK(asked_.empty());
  }

private:
  void ask(purpose p) { asked_[book_.ask(p)] = p; }

  void opening_ends(bool well) {
    if (opening_.empty())
      return;
    const auto slot = *opening_.begin();
    opening_.erase(opening_.begin());
    if (well) {
      free_.insert(slot);
      book_.on_opened(slot);
    } else {
      book_.on_lost(slot, now_, dice_.unit());
    }
  }

  void loan_ends(bool usable) {
    if (lent_.empty())
      return;
    const auto [loan, slot] = *lent_.begin();
    lent_.erase(lent_.begin());
    if (usable)
      free_.insert(slot);
    book_.give_back(loan, usable, now_, dice_.unit());
  }

  void follow() {
    for (auto steps = book_.next(now_); !steps.empty();
         steps = book_.next(now_))
      for (const auto& s : steps)
        s.what == kind::lend ? lend(s) : open(s);
    CAF_CHECK(!book_.next_due() || *book_.next_due() > now_);
    CAF_CHECK_EQUAL(book_.is_idle(), lent_.empty() && opening_.empty());
  }

  void lend(const session_book::step& s) {
    const auto p = asked_.at(s.loan);
    CAF_CHECK_EQUAL(free_.erase(s.slot), 1u);
    if (settings_.one_writer)
      CAF_CHECK_EQUAL(s.slot == 0, p != purpose::other);
    else if (p == purpose::claim)
      CAF_CHECK(!free_.empty());
    asked_.erase(s.loan);
    CAF_CHECK(lent_.emplace(s.loan, s.slot).second);
  }

  void open(const session_book::step& s) {
    CAF_CHECK(!free_.contains(s.slot) && opening_.insert(s.slot).second);
    for (const auto& [loan, slot] : lent_)
      CAF_CHECK(slot != s.slot);
  }

  test::random& dice_;
  session_book::settings settings_;
  session_book book_;
  instant now_ = start;
  std::map<loan_number, purpose> asked_;
  std::map<loan_number, std::uint32_t> lent_;
  std::set<std::uint32_t> free_;
  std::set<std::uint32_t> opening_;
};

} // namespace

CAF_TEST(whatever breaks the invariants hold and everybody is served) {
  test::random dice;
  for (int round = 0; round < 100; ++round) {
    pool_model pool{dice,
                    {.size = 2 + dice.below(6), .one_writer = dice.chance(50)}};
    for (int i = 0; i < 300; ++i)
      pool.step();
    pool.end();
  }
}
