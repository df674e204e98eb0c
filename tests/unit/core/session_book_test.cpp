#define CAF_SUITE session_book
#include "inbox/test/unit.hpp"

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

CAF_TEST(B65 sessions that ended while they were free are not lent) {
  session_book book{{.size = 3}};
  for (const auto p : {purpose::settle, purpose::settle, purpose::settle})
    book.ask(p);
  for (const auto& s : serve(book))
    book.give_back(s.loan, true, start, 0);
  std::set<std::uint32_t> dropped;
  book.ask(purpose::settle);
  const auto loan = book.ask(purpose::settle);
  for (const auto& s :
       book.next(start, [](std::uint32_t slot) { return slot != 1; })) {
    CAF_CHECK(s.what != kind::lend || s.slot == 1);
    if (s.what == kind::drop)
      dropped.insert(s.slot);
    if (s.what == kind::open) { // at once: nobody failed
      CAF_CHECK_EQUAL(dropped.count(s.slot), 1u);
      book.on_opened(s.slot);
    }
  }
  CAF_CHECK_EQUAL(dropped.size(), 2u);
  const auto lent = book.next(start, [](std::uint32_t) { return false; });
  CAF_REQUIRE_EQUAL(lent.size(), 1u);
  CAF_CHECK_EQUAL(lent[0].loan, loan);
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

CAF_TEST(a single session does everything even where one writes) {
  for (const auto size : {0u, 1u}) {
    session_book book{{.size = size, .one_writer = true}};
    for (const auto p : {purpose::other, purpose::settle}) {
      const auto loan = book.ask(p);
      CAF_REQUIRE_EQUAL(serve(book).size(), 1u);
      book.give_back(loan, true, start, 0.5);
    }
  }
}
