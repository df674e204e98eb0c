#define CAF_SUITE session_book_invariants
#include "inbox/test/random.hpp"

#include <map>
#include <set>

#include "inbox/session_book.hpp"

using namespace inbox;
using instant = session_book::instant;
using kind = session_book::step::kind;
using purpose = loan_purpose;

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
  instant now_{std::chrono::hours{1}};
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
