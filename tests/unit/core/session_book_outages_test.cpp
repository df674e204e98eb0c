#define CAF_SUITE session_book_outages
#include "inbox/test/unit.hpp"

#include <tuple>
#include <vector>

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

/// The wait until the next opening, from `now` on.
duration wait_of(const session_book& book, instant now = start) {
  CAF_REQUIRE(book.next_due().has_value());
  return std::chrono::duration_cast<duration>(*book.next_due() - now);
}

/// Every opening there is to do fails.
void fail_to_open(session_book& book, instant now, double random = 0.5) {
  for (const auto& s : book.next(now))
    book.on_lost(s.slot, now, random);
}

} // namespace

CAF_TEST(B65 an opening that fails waits longer each time up to a cap) {
  session_book book{{.size = 4}};
  book.ask(purpose::settle);
  auto now = start;
  auto waited = duration::zero();
  for (int i = 0; i < 12; ++i) {
    const auto steps = book.next(now);
    CAF_REQUIRE_EQUAL(steps.size(), 1u);
    book.on_lost(steps[0].slot, now, 0.5);
    const auto wait = wait_of(book, now);
    CAF_CHECK(book.next(now).empty());
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
  CAF_CHECK(wait_of(book) == duration{100ms});
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
    const auto wait = wait_of(book, now);
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
  fail_to_open(book, start);
  CAF_CHECK(book.take_refused() == (std::vector{claim, other}));
  CAF_CHECK(book.take_refused().empty());
  const auto lent = serve(book, start + 1min);
  CAF_REQUIRE_EQUAL(lent.size(), 1u);
  CAF_CHECK_EQUAL(lent[0].loan, settle);
}

CAF_TEST(B67 a claim whose session is only lent out is not refused) {
  session_book book{{.size = 4}};
  for (int i = 0; i < 2; ++i)
    book.ask(purpose::settle);
  CAF_REQUIRE_EQUAL(serve(book).size(), 2u);
  const auto claim = book.ask(purpose::claim);
  fail_to_open(book, start);
  CAF_CHECK(book.next_due().has_value());
  CAF_CHECK(book.take_refused().empty());
  CAF_CHECK(book.withdraw(claim));
}

CAF_TEST(nothing is refused before an opening has failed) {
  session_book book{{.size = 4}};
  const auto claim = book.ask(purpose::claim);
  CAF_CHECK(book.take_refused().empty());
  CAF_CHECK(book.withdraw(claim));
}

CAF_TEST(B65 one session finds out whether the database is back) {
  session_book book{{.size = 4}};
  for (int i = 0; i < 3; ++i)
    book.ask(purpose::settle);
  fail_to_open(book, start);
  const auto opens = book.next(*book.next_due());
  CAF_REQUIRE_EQUAL(opens.size(), 1u);
  book.on_opened(opens[0].slot);
  const auto lent = book.next(start + 1min);
  CAF_CHECK_EQUAL(lent.size(), 2u); // the loan, and again one opening
}

CAF_TEST(B65 a session that opens ends the wait of one that did not) {
  session_book book{{.size = 4}};
  for (int i = 0; i < 2; ++i)
    book.ask(purpose::settle);
  const auto opens = book.next(start);
  CAF_REQUIRE_EQUAL(opens.size(), 2u);
  book.on_lost(opens[0].slot, start, 0.5);
  CAF_CHECK(book.next_due().has_value());
  book.on_opened(opens[1].slot);
  CAF_CHECK(!book.next_due());
  CAF_CHECK_EQUAL(serve(book).size(), 2u);
}

CAF_TEST(B65 the first good loan of a new session begins the waits anew) {
  session_book book{{.size = 2}};
  book.ask(purpose::settle);
  fail_to_open(book, start);
  const auto later = *book.next_due();
  const auto lent = serve(book, later);
  CAF_REQUIRE_EQUAL(lent.size(), 1u);
  book.give_back(lent[0].loan, true, later, 0.5);
  book.ask(purpose::settle);
  const auto again = serve(book, later);
  CAF_REQUIRE_EQUAL(again.size(), 1u);
  book.give_back(again[0].loan, false, later, 0.5);
  book.ask(purpose::settle);
  CAF_CHECK(wait_of(book, later) == duration{100ms});
}

CAF_TEST(B65 a session from before the outage says nothing about its end) {
  session_book book{{.size = 3}};
  for (int i = 0; i < 2; ++i) {
    const auto loan = book.ask(purpose::settle);
    serve(book);
    if (i == 0)
      book.give_back(loan, true, start, 0.5);
  }
  const auto old = loan_number{2};
  book.ask(purpose::settle);
  fail_to_open(book, start);
  CAF_CHECK(wait_of(book) == duration{100ms});
  book.give_back(old, true, start, 0.5);
  CAF_CHECK_EQUAL(serve(book).size(), 1u);
  book.ask(purpose::settle);
  const auto later = *book.next_due();
  fail_to_open(book, later);
  CAF_CHECK(wait_of(book, later) == duration{200ms});
}

CAF_TEST(B65 the wait before an opening is spread by the random number) {
  for (const auto& [random, least, most] :
       {std::tuple{0.0, 85ms, 95ms}, std::tuple{0.999, 105ms, 115ms}}) {
    session_book book{{.size = 2}};
    book.ask(purpose::settle);
    fail_to_open(book, start, random);
    CAF_CHECK(wait_of(book) > least && wait_of(book) < most);
  }
}

CAF_TEST(nothing is due when nobody waits) {
  session_book book{{.size = 2}};
  const auto loan = book.ask(purpose::settle);
  fail_to_open(book, start);
  CAF_CHECK(book.next_due().has_value());
  book.withdraw(loan);
  CAF_CHECK(!book.next_due());
}
