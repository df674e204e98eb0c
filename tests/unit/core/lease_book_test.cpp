#define CAF_SUITE lease_book
#include "inbox/test/random.hpp"

#include <map>
#include <set>

#include "inbox/lease_book.hpp"

using namespace inbox;
using instant = lease_book::instant;

namespace {

constexpr instant start{std::chrono::hours{1}};

token until(int second) {
  return {time_point{std::chrono::seconds{second}}, 2};
}

settlement ack_of(delivery_number d) {
  return {event::ack, d, 7, {}, {}};
}

settled answer(delivery_number d, settled::how went,
               std::optional<token> now_held = {}) {
  return {.delivery = d, .went = went, .why = {}, .now_held = now_held};
}

} // namespace

CAF_TEST(C-153 a delivery is extended after half its lease and again) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  CAF_CHECK(book.take_due(start + 4999ms, 100).empty());
  CAF_CHECK(book.next_due() == start + 5s);
  const auto due = book.take_due(start + 5s, 100);
  CAF_REQUIRE_EQUAL(due.size(), 1u);
  CAF_CHECK(due[0] == (extension{1, 7, until(10)}));
  CAF_CHECK(book.take_due(start + 6s, 100).empty());
  book.on_extended({answer(1, settled::how::done, until(15))}, start + 5s,
                   start + 6s);
  CAF_CHECK(book.next_due() == start + 10s);
  CAF_CHECK(book.take_due(start + 10s, 100)[0].held == until(15));
}

CAF_TEST(those due soon come along with one that is due) {
  lease_book book{20s};
  book.hold(1, 1, until(1), start);
  book.hold(2, 2, until(1), start + 900ms);
  book.hold(3, 3, until(1), start + 1100ms);
  CAF_CHECK_EQUAL(book.take_due(start + 10s, 100).size(), 2u);
}

CAF_TEST(B18 chunks take the nearest to its expiry first) {
  lease_book book{10s};
  book.hold(1, 1, until(1), start + 2s);
  book.hold(2, 2, until(1), start);
  book.hold(3, 3, until(1), start + 1s);
  const auto chunk = book.take_due(start + 8s, 2);
  CAF_REQUIRE_EQUAL(chunk.size(), 2u);
  CAF_CHECK_EQUAL(chunk[0].delivery, 2u);
  CAF_CHECK_EQUAL(chunk[1].delivery, 3u);
  const auto rest = book.take_due(start + 8s, 2);
  CAF_REQUIRE_EQUAL(rest.size(), 1u);
  CAF_CHECK_EQUAL(rest[0].delivery, 1u);
}

CAF_TEST(B18 a failed extension is tried again after a tenth of the lease) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  auto now = start + 5s;
  for (int i = 0; i < 4; ++i, now += 1s) {
    CAF_REQUIRE_EQUAL(book.take_due(now, 100).size(), 1u);
    book.on_extended({answer(1, settled::how::failed)}, now, now);
    CAF_CHECK(book.take_lost(now).empty());
    CAF_CHECK(book.next_due() == now + 1s);
  }
}

CAF_TEST(B19 a delivery past its expiry is lost and named once) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  CAF_CHECK(book.take_lost(start + 9999ms).empty());
  CAF_CHECK(book.take_lost(start + 10s) == std::vector<delivery_number>{1});
  CAF_CHECK(book.take_lost(start + 11s).empty());
  CAF_CHECK(book.take_due(start + 11s, 100).empty());
  CAF_CHECK(!book.next_due());
  CAF_CHECK_EQUAL(book.size(), 1u);
}

CAF_TEST(B19 an extension that never answers does not hide the expiry) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  CAF_REQUIRE_EQUAL(book.take_due(start + 5s, 100).size(), 1u);
  CAF_CHECK(book.next_due() == start + 10s);
  CAF_CHECK_EQUAL(book.take_lost(start + 10s).size(), 1u);
}

CAF_TEST(B19 an extended lease ends a lease after the request read its clock) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  book.take_due(start + 5s, 100);
  book.on_extended({answer(1, settled::how::done, until(15))}, start + 5s,
                   start + 9s);
  CAF_CHECK(book.take_lost(start + 14999ms).empty());
  CAF_CHECK(book.take_lost(start + 15s) == std::vector<delivery_number>{1});
}

CAF_TEST(C-154 a row another claim took over is lost at once) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  book.take_due(start + 5s, 100);
  book.on_extended({answer(1, settled::how::lost)}, start + 5s, start + 6s);
  CAF_CHECK(book.next_due() == start + 6s);
  CAF_CHECK(book.take_lost(start + 6s) == std::vector<delivery_number>{1});
}

CAF_TEST(a settlement gets the token the row holds) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  const auto end = book.finish(ack_of(1));
  CAF_REQUIRE(end);
  CAF_CHECK(end->held == until(10));
  CAF_CHECK_EQUAL(book.size(), 0u);
}

CAF_TEST(a settlement waits for an extension under way) {
  lease_book book{10s};
  book.hold(1, 7, until(10), start);
  book.take_due(start + 5s, 100);
  CAF_CHECK(!book.finish(ack_of(1)));
  const auto waited = book.on_extended(
    {answer(1, settled::how::done, until(15))}, start + 5s, start + 6s);
  CAF_REQUIRE_EQUAL(waited.size(), 1u);
  CAF_CHECK(waited[0].held == until(15));
  CAF_CHECK_EQUAL(book.size(), 0u);
}

CAF_TEST(a delivery that is not in the book passes as it is) {
  lease_book book{10s};
  CAF_CHECK(book.finish(ack_of(3)) == ack_of(3));
  CAF_CHECK(
    book.on_extended({answer(3, settled::how::done)}, start, start).empty());
}

namespace {

/// A database beside a book: what each row's token is and who is under way.
class world {
public:
  explicit world(test::random& dice) : dice_{dice} {}

  void step() {
    now_ += std::chrono::milliseconds{dice_.below(100)};
    if (dice_.chance(30))
      claim();
    if (book_.next_due() && *book_.next_due() <= now_)
      send();
    if (!flying_.empty() && dice_.chance(70))
      answer_all();
    if (!rows_.empty() && dice_.chance(30))
      finish(std::next(rows_.begin(), dice_.below(size()))->first);
    for (const auto d : book_.take_lost(now_))
      CAF_CHECK(taken_.contains(d) && named_.insert(d).second);
  }

  void end() {
    answer_all();
    while (!rows_.empty())
      finish(rows_.begin()->first);
    CAF_CHECK_EQUAL(book_.size(), 0u);
    CAF_CHECK(waiting_.empty());
  }

private:
  std::uint32_t size() const {
    return static_cast<std::uint32_t>(rows_.size());
  }

  void claim() {
    const auto d = ++number_;
    rows_[d] = until(++written_);
    book_.hold(d, static_cast<std::int64_t>(d), rows_[d], now_);
  }

  void send() {
    sent_ = now_;
    for (const auto& e : book_.take_due(now_, 1 + dice_.below(4))) {
      CAF_CHECK(rows_.contains(e.delivery));
      CAF_CHECK(taken_.contains(e.delivery) || e.held == rows_[e.delivery]);
      CAF_CHECK(flying_.insert(e.delivery).second);
    }
  }

  /// Mostly written, now and then failed or taken over by another claim.
  void answer_all() {
    std::vector<settled> results;
    for (const auto d : flying_) {
      const auto luck = dice_.below(100);
      if (taken_.contains(d) || luck < 3) {
        taken_.insert(d);
        results.push_back(answer(d, settled::how::lost));
      } else if (luck < 10) {
        results.push_back(answer(d, settled::how::failed));
      } else {
        rows_[d] = until(++written_);
        results.push_back(answer(d, settled::how::done, rows_[d]));
      }
    }
    flying_.clear();
    for (const auto& end : book_.on_extended(results, sent_, now_)) {
      CAF_CHECK_EQUAL(waiting_.erase(end.delivery), 1u);
      settle(end);
    }
  }

  void finish(delivery_number d) {
    if (waiting_.contains(d))
      return;
    const auto end = book_.finish(ack_of(d));
    CAF_CHECK_EQUAL(end.has_value(), !flying_.contains(d));
    if (end)
      settle(*end);
    else
      waiting_.insert(d);
  }

  void settle(const settlement& end) {
    CAF_CHECK(taken_.contains(end.delivery)
              || end.held == rows_.at(end.delivery));
    CAF_CHECK_EQUAL(rows_.erase(end.delivery), 1u);
  }

  test::random& dice_;
  lease_book book_{10s};
  instant now_ = start;
  instant sent_ = start;
  int written_ = 0;
  delivery_number number_ = 0;
  std::map<delivery_number, token> rows_; ///< not settled yet
  std::set<delivery_number> flying_;      ///< extensions under way
  std::set<delivery_number> waiting_;     ///< settlements that wait
  std::set<delivery_number> taken_;
  std::set<delivery_number> named_;
};

} // namespace

CAF_TEST(B17 no lease that can be extended is lost and none settles twice) {
  test::random dice;
  for (int round = 0; round < 30; ++round) {
    world w{dice};
    for (int i = 0; i < 1000; ++i)
      w.step();
    w.end();
  }
}
